// Common neighbors of pairs: for the arcs that `wanted` marks, `common` counts the nodes that both ends are joined to,
// and `worth` sums what these nodes are worth.
//
// Only arcs that `joined` marks join; the others are pairs that are asked for. Both arcs of an edge are marked alike.
function common_neighbors(Graph g, propEdge<bool> joined, propEdge<bool> wanted, propNode<double> node_worth, propEdge<int> common, propEdge<double> worth) {
  g.attachEdgeProperty(common = 0, worth = 0.0);
  forall (e in g.edges().filter(wanted)) {
    for (w in g.neighbors(e.source)) {
      edge first = g.get_edge(e.source, w);
      edge second = g.get_edge(e.destination, w);
      if (first.joined && second != -1) {
        if (second.joined) {
          e.common += 1;
          e.worth += w.node_worth;
        }
      }
    }
  }
}
