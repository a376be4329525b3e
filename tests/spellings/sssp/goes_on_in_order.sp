// while (!stable); one node after another; no frontier; push; continue in place of if; a temporary
function sssp(Graph g, propNode<int> dist, propEdge<int> weight, node src) {
  g.attachNodeProperty(dist = INF);
  src.dist = 0;
  bool stable = False;
  while (!stable) {
    stable = True;
    for (v in g.nodes()) {
      int d = v.dist;
      if (d == INF) continue;
      for (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        if (w.dist <= d + e.weight) continue;
        w.dist = d + e.weight;
        stable = False;
      }
    }
  }
}
