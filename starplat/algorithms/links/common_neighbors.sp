// Common neighbors of pairs of nodes: `common` counts them, and `worth` sums what they are worth.
//
// The pairs are the arcs that `wanted` marks; only arcs that `joined` marks make neighbors. Both arcs of an edge are
// marked alike.
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
