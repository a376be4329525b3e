// while (changed); one node after another, and one neighbor; no frontier; push; if in place of Min
function sssp(Graph g, propNode<int> dist, propEdge<int> weight, node src) {
  for (v in g.nodes()) { v.dist = INF; }
  src.dist = 0;
  bool changed = True;
  while (changed) {
    changed = False;
    for (u in g.nodes()) {
      for (v in g.neighbors(u)) {
        edge e = g.get_edge(u, v);
        if (u.dist + e.weight < v.dist) {
          v.dist = u.dist + e.weight;
          changed = True;
        }
      }
    }
  }
}
