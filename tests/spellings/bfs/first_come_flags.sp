// while; one node after another; two flag properties, copied; push; if on an unreached neighbor
function bfs(Graph g, propNode<int> level, node src) {
  propNode<bool> cur;
  propNode<bool> nxt;
  g.attachNodeProperty(level = INF, cur = False, nxt = False);
  src.level = 0;
  src.cur = True;
  bool more = True;
  while (more) {
    more = False;
    for (v in g.nodes()) {
      if (v.cur) {
        for (w in g.neighbors(v)) {
          if (w.level == INF) {
            w.level = v.level + 1;
            w.nxt = True;
            more = True;
          }
        }
      }
    }
    cur = nxt;
    g.attachNodeProperty(nxt = False);
  }
}
