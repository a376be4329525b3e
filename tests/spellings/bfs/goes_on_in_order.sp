// while; one node after another; the frontier is a level; push; continue in place of if; changes are counted
function bfs(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = INF);
  src.level = 0;
  int depth = 0;
  int found = 1;
  while (found != 0) {
    found = 0;
    for (v in g.nodes()) {
      if (v.level != depth) continue;
      for (w in g.neighbors(v)) {
        if (w.level != INF) continue;
        w.level = depth + 1;
        found++;
      }
    }
    depth++;
  }
}
