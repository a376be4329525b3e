// while; one node after another, and one neighbor; no frontier; push; if in place of Max; a temporary
function widest(Graph g, propNode<int> width, propEdge<int> weight, node src) {
  g.attachNodeProperty(width = 0);
  src.width = INF;
  bool changed = True;
  while (changed) {
    changed = False;
    for (u in g.nodes()) {
      for (v in g.neighbors(u)) {
        edge e = g.get_edge(u, v);
        int w = min(u.width, e.weight);
        if (w > v.width) {
          v.width = w;
          changed = True;
        }
      }
    }
  }
}
