// As or_assign with && in place of ||: a node joins where each of its in-neighbors has.
function reach(Graph g, propNode<bool> reached, node src) {
  g.attachNodeProperty(reached = False);
  src.reached = True;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(reached == False)) {
      bool all = g.count_inNbrs(v) > 0;
      for (u in g.nodes_to(v)) {
        all = all && u.reached;
      }
      if (all) {
        v.reached = True;
        more = True;
      }
    }
  }
}
