// while (more); the frontier is a level; push; if on an unreached neighbor; the depth in a scalar
function bfs(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = INF);
  src.level = 0;
  int depth = 0;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(level == depth)) {
      forall (w in g.neighbors(v)) {
        if (w.level == INF) {
          w.level = depth + 1;
          more = True;
        }
      }
    }
    depth = depth + 1;
  }
}
