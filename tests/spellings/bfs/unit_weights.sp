// counted, n - 1 rounds over all arcs; Bellman and Ford's with weight 1; Min; nothing says where to go on
function bfs(Graph g, propNode<int> level, node src) {
  int n = g.num_nodes();
  g.attachNodeProperty(level = INF);
  src.level = 0;
  for (int i = 1; i < n; i++) {
    forall (e in g.edges()) {
      node u = e.source;
      node v = e.destination;
      v.level = Min(v.level, u.level + 1);
    }
  }
}
