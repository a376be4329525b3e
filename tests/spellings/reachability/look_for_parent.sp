// do…while; no frontier; pull: a node that is not reached looks for one that is, and stops at the first
function reach(Graph g, propNode<bool> reached, node src) {
  g.attachNodeProperty(reached = False);
  src.reached = True;
  bool found;
  do {
    found = False;
    forall (v in g.nodes().filter(reached == False)) {
      for (u in g.nodes_to(v)) {
        if (u.reached) {
          v.reached = True;
          found = True;
          break;
        }
      }
    }
  } while (found);
}
