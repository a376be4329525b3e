// As look_for_parent, but among the out-neighbors: what reaches the node that is called src.
function reach(Graph g, propNode<bool> reached, node src) {
  g.attachNodeProperty(reached = False);
  src.reached = True;
  bool found;
  do {
    found = False;
    forall (v in g.nodes().filter(reached == False)) {
      for (u in g.neighbors(v)) {
        if (u.reached) {
          v.reached = True;
          found = True;
          break;
        }
      }
    }
  } while (found);
}
