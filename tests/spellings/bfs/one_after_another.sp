// while; one node after another; the frontier is a level; push; if on an unreached neighbor
function bfs(Graph g, propNode<int> level, node src) {
  for (v in g.nodes()) { v.level = INF; }
  src.level = 0;
  int depth = 0;
  bool more = True;
  while (more) {
    more = False;
    for (v in g.nodes()) {
      if (v.level == depth) {
        for (w in g.neighbors(v)) {
          if (w.level == INF) {
            w.level = depth + 1;
            more = True;
          }
        }
      }
    }
    depth++;
  }
}
