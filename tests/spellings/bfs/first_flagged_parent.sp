// while; two flag properties, copied; pull: stops at the first flagged parent; the depth in a scalar
function bfs(Graph g, propNode<int> level, node src) {
  propNode<bool> cur;
  propNode<bool> nxt;
  g.attachNodeProperty(level = INF, cur = False, nxt = False);
  src.level = 0;
  src.cur = True;
  int depth = 0;
  bool more = True;
  while (more) {
    more = False;
    depth++;
    forall (v in g.nodes().filter(level == INF)) {
      for (u in g.nodes_to(v)) {
        if (u.cur) {
          v.level = depth;
          v.nxt = True;
          more = True;
          break;
        }
      }
    }
    cur = nxt;
    g.attachNodeProperty(nxt = False);
  }
}
