// while; each node's bound falls to the number of nodes around with bounds as high (h-index); pull; a temporary
// names: core=bound
function cores(Graph g, propNode<int> bound) {
  forall (v in g.nodes()) {
    int d = 0;
    for (u in g.nodes_to(v).filter(u != v)) {
      d++;
    }
    v.bound = d;
  }
  bool moved = True;
  while (moved) {
    moved = False;
    propNode<int> was;
    was = bound;
    forall (v in g.nodes()) {
      int as_high = 0;
      for (u in g.nodes_to(v).filter(u != v)) {
        if (u.was >= v.was) {
          as_high++;
        }
      }
      if (as_high < v.was) {
        v.bound = v.was - 1;
        moved = True;
      }
    }
  }
}
