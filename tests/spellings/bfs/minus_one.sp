// while; the frontier is a level; push; if; nodes that are not reached hold -1
// unreached: -1
function bfs(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = -1);
  src.level = 0;
  int depth = 0;
  int size = 1;
  while (size > 0) {
    size = 0;
    forall (v in g.nodes().filter(level == depth)) {
      forall (w in g.neighbors(v)) {
        if (w.level < 0) {
          w.level = depth + 1;
          size++;
        }
      }
    }
    depth++;
  }
}
