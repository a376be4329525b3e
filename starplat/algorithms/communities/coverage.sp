// The coverage of a partition: returns the share of weight that lies within communities.
//
// Nodes of the same `community` are together; it is called after any node. It is 0 if nothing has weight.
function coverage(Graph g, propNode<node> community, propEdge<double> weight) {
  double within = 0.0;
  double all = 0.0;
  forall (e in g.edges()) {
    all += e.weight;
    if (e.source.community == e.destination.community) {
      within += e.weight;
    }
  }
  return all > 0.0 ? within / all : 0.0;
}
