// As one_after_another, but two passes: a pass takes a path as far as its nodes' numbers rise.
function sssp(Graph g, propNode<int> dist, propEdge<int> weight, node src) {
  g.attachNodeProperty(dist = INF);
  src.dist = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (u in g.nodes()) {
      for (v in g.neighbors(u)) {
        edge e = g.get_edge(u, v);
        if (u.dist + e.weight < v.dist) {
          v.dist = u.dist + e.weight;
        }
      }
    }
  }
}
