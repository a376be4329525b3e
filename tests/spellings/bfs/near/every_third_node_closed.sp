// As while_more, but no node whose number is a multiple of three is entered.
function bfs(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = INF);
  src.level = 0;
  int depth = 0;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(level == depth)) {
      forall (w in g.neighbors(v)) {
        if (w.level == INF && w % 3 != 0) {
          w.level = depth + 1;
          more = True;
        }
      }
    }
    depth = depth + 1;
  }
}
