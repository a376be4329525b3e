// As seen_beside_level, but nodes of odd number have been seen from the beginning.
function bfs(Graph g, propNode<int> level, node src) {
  propNode<bool> seen;
  g.attachNodeProperty(level = INF, seen = False);
  forall (v in g.nodes()) {
    if (v % 2 == 1) {
      v.seen = True;
    }
  }
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
