// The modularity of a partition: returns how much more weight lies within communities than chance would put there.
//
// At most 1, at random 0 (Newman). Nodes of the same `community` are together; it is called after any node. Chance keeps
// the weight that leaves and comes to every node; a `resolution` above 1 favors small communities. In a directed graph
// after Leicht and Newman. It is 0 if nothing has weight. An undirected graph has no loops.
function modularity(Graph g, propNode<node> community, propEdge<double> weight, double resolution = 1.0) {
  propNode<double> leaving;
  propNode<double> coming;
  g.attachNodeProperty(leaving = 0.0, coming = 0.0);
  double within = 0.0;
  forall (e in g.edges()) {
    node a = e.source.community;
    node b = e.destination.community;
    a.leaving += e.weight;
    b.coming += e.weight;
    if (a == b) {
      within += e.weight;
    }
  }
  double total = Sum(weight);
  double chance = 0.0;
  forall (c in g.nodes()) {
    chance += c.leaving * c.coming;
  }
  return total > 0.0 ? within / total - resolution * chance / (total * total) : 0.0;
}
