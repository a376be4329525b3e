// As while_more, but along arcs and against them.
function bfs(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = INF);
  src.level = 0;
  int depth = 0;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(level == depth)) {
      forall (w in g.inOutNbrs(v)) {
        if (w.level == INF) {
          w.level = depth + 1;
          more = True;
        }
      }
    }
    depth = depth + 1;
  }
}
