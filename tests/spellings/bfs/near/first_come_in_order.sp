// As one_after_another, but any node with a level gives its neighbors the next: who comes first decides.
function bfs(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = INF);
  src.level = 0;
  bool more = True;
  while (more) {
    more = False;
    for (v in g.nodes()) {
      if (v.level != INF) {
        for (w in g.neighbors(v)) {
          if (w.level == INF) {
            w.level = v.level + 1;
            more = True;
          }
        }
      }
    }
  }
}
