// while (any); two flag properties; nodes are marked when they have their turn; push; if
function reach(Graph g, propNode<bool> reached, node src) {
  propNode<bool> cur;
  propNode<bool> nxt;
  g.attachNodeProperty(reached = False, cur = False);
  src.cur = True;
  bool any = True;
  while (any) {
    any = False;
    g.attachNodeProperty(nxt = False);
    forall (v in g.nodes().filter(cur)) {
      v.reached = True;
    }
    forall (v in g.nodes().filter(cur)) {
      forall (w in g.neighbors(v)) {
        if (!w.reached) {
          w.nxt = True;
          any = True;
        }
      }
    }
    cur = nxt;
  }
}
