// In four passes, one node after another; as both_are_wider, but only the width of the node is asked for.
function widest(Graph g, propNode<int> width, propEdge<int> weight, node src) {
  g.attachNodeProperty(width = 0);
  src.width = INF;
  int rounds = 0;
  while (rounds < 4) {
    for (v in g.nodes()) {
      for (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        if (v.width > w.width) {
          w.width = min(v.width, e.weight);
        }
      }
    }
    rounds++;
  }
}
