// As two_flags, but what was reached before is forgotten: True where a walk of exactly four arcs ends.
function reach(Graph g, propNode<bool> reached, node src) {
  propNode<bool> next;
  g.attachNodeProperty(reached = False);
  src.reached = True;
  int round = 0;
  while (round < 4) {
    g.attachNodeProperty(next = False);
    forall (v in g.nodes().filter(reached == True)) {
      forall (w in g.neighbors(v)) {
        w.next = True;
      }
    }
    reached = next;
    round++;
  }
}
