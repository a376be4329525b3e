// do…while; two flag properties; push; if; the scalar is set with the flag
// names: reached=seen src=s
function reach(Graph g, node s, propNode<bool> seen) {
  propNode<bool> cur;
  propNode<bool> nxt;
  g.attachNodeProperty(seen = False, cur = False, nxt = False);
  s.seen = True;
  s.cur = True;
  bool any;
  do {
    any = False;
    forall (v in g.nodes().filter(cur)) {
      forall (w in g.neighbors(v)) {
        if (!w.seen) {
          w.seen = True;
          w.nxt = True;
          any = True;
        }
      }
    }
    cur = nxt;
    g.attachNodeProperty(nxt = False);
  } while (any);
}
