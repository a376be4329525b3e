// Whether a directed graph is acyclic: returns True if no path of its arcs leads back to where it began.
//
// Takes away, again and again, the nodes that no node left leads to (Kahn). A loop is a cycle.
function is_acyclic(Graph g) {
  propNode<int> missing;
  propNode<bool> taken;
  propNode<bool> free;
  g.attachNodeProperty(taken = False, free = False);
  forall (v in g.nodes()) {
    v.missing = g.count_inNbrs(v);
  }
  long left = g.num_nodes();
  long now = 1;
  while (now > 0) {
    now = 0;
    forall (v in g.nodes().filter(!taken && missing == 0)) {
      v.free = True;
      v.taken = True;
      now += 1;
    }
    forall (v in g.nodes().filter(free)) {
      v.free = False;
      forall (w in g.neighbors(v)) {
        w.missing -= 1;
      }
    }
    left -= now;
  }
  return left == 0;
}
