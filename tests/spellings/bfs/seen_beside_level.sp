// while; the frontier is a level; push; if on a flag that is set beside the level
function bfs(Graph g, propNode<int> level, node src) {
  propNode<bool> seen;
  g.attachNodeProperty(level = INF, seen = False);
  src.level = 0;
  src.seen = True;
  int depth = 0;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(level == depth)) {
      forall (w in g.neighbors(v)) {
        if (!w.seen) {
          w.seen = True;
          w.level = depth + 1;
          more = True;
        }
      }
    }
    depth++;
  }
}
