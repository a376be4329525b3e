// while (True) left by break in its middle; the frontier is a level; push; if on an unreached neighbor; a flag inside
function bfs(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = INF);
  src.level = 0;
  int depth = 0;
  while (True) {
    bool again = False;
    forall (v in g.nodes().filter(level == depth)) {
      forall (w in g.neighbors(v)) {
        if (w.level == INF) {
          w.level = depth + 1;
          again = True;
        }
      }
    }
    if (!again) {
      break;
    }
    depth++;
  }
}
