// do…while; a vector times the matrix over or and and: pull with ||=; new ones are counted
function reach(Graph g, propNode<bool> reached, node src) {
  g.attachNodeProperty(reached = False);
  src.reached = True;
  long fresh;
  do {
    fresh = 0;
    forall (v in g.nodes().filter(!reached)) {
      bool any = False;
      for (u in g.nodes_to(v)) {
        any ||= u.reached;
      }
      if (any) {
        v.reached = True;
        fresh++;
      }
    }
  } while (fresh > 0);
}
