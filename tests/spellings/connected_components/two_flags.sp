// do…while; two flag properties; push over inOutNbrs; Min under an if
// names: component=c
function cc(Graph g, propNode<int> c) {
  propNode<bool> cur;
  propNode<bool> nxt;
  g.attachNodeProperty(cur = True, nxt = False);
  forall (v in g.nodes()) {
    v.c = v;
  }
  bool any;
  do {
    any = False;
    forall (v in g.nodes().filter(cur)) {
      forall (w in g.inOutNbrs(v)) {
        if (v.c < w.c) {
          <w.c, w.nxt> = <Min(w.c, v.c), True>;
          any = True;
        }
      }
    }
    cur = nxt;
    g.attachNodeProperty(nxt = False);
  } while (any);
}
