// do…while; two flag properties, the second copied; push; if on an unreached neighbor; a scalar says whether to go on
// names: level=dist src=s
function bfs(Graph g, propNode<int> dist, node s) {
  propNode<bool> cur;
  propNode<bool> nxt;
  g.attachNodeProperty(dist = INF, cur = False, nxt = False);
  s.dist = 0;
  s.cur = True;
  bool any = True;
  do {
    any = False;
    forall (v in g.nodes().filter(cur == True)) {
      forall (w in g.neighbors(v)) {
        if (w.dist == INF) {
          w.dist = v.dist + 1;
          w.nxt = True;
          any = True;
        }
      }
    }
    cur = nxt;
    g.attachNodeProperty(nxt = False);
  } while (any);
}
