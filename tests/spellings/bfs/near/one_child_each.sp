// As one_after_another, but a node gives a level to its first neighbor without one only.
function bfs(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = INF);
  src.level = 0;
  int depth = 0;
  bool more = True;
  while (more) {
    more = False;
    for (v in g.nodes().filter(level == depth)) {
      for (w in g.neighbors(v)) {
        if (w.level == INF) {
          w.level = depth + 1;
          more = True;
          break;
        }
      }
    }
    depth++;
  }
}
