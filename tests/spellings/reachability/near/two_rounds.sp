// As two_flags, but two rounds.
function reach(Graph g, propNode<bool> reached, node src) {
  propNode<bool> cur;
  propNode<bool> nxt;
  g.attachNodeProperty(reached = False, cur = False, nxt = False);
  src.reached = True;
  src.cur = True;
  for (int i = 0; i < 2; i++) {
    forall (v in g.nodes().filter(cur)) {
      forall (w in g.neighbors(v)) {
        if (!w.reached) {
          w.reached = True;
          w.nxt = True;
        }
      }
    }
    cur = nxt;
    g.attachNodeProperty(nxt = False);
  }
}
