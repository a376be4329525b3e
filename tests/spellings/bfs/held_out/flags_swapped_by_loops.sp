// while (True) with break; two flag properties; a loop over nodes moves them; the level counts rounds; local result
// names: level=out src=s
function bfs(Graph g, propNode<int> out, node s) {
  propNode<int> lev;
  propNode<bool> cur;
  propNode<bool> nxt;
  forall (v in g.nodes()) {
    v.lev = INF;
    v.cur = False;
    v.nxt = False;
  }
  s.lev = 0;
  s.cur = True;
  int step = 0;
  while (True) {
    bool any = False;
    step++;
    forall (v in g.nodes().filter(cur == True)) {
      forall (w in g.neighbors(v)) {
        if (w.lev == INF) {
          w.nxt = True;
        }
      }
    }
    forall (v in g.nodes()) {
      v.cur = v.nxt;
      if (v.nxt) {
        v.lev = step;
        v.nxt = False;
        any = True;
      }
    }
    if (!any) {
      break;
    }
  }
  out = lev;
}
