// while on the number alive; alive flags; nodes leave and tell their neighbors in one loop after marks; k rises when quiet
function cores(Graph g, propNode<int> core) {
  propNode<int> has;
  propNode<bool> alive;
  propNode<bool> leaves;
  forall (v in g.nodes()) {
    v.core = 0;
    v.alive = True;
    v.leaves = False;
    v.has = 0;
    for (u in g.nodes_to(v)) {
      if (u != v) {
        v.has += 1;
      }
    }
  }
  long alive_now = g.num_nodes();
  int k = 0;
  while (alive_now != 0) {
    bool quiet = True;
    forall (v in g.nodes()) {
      if (v.alive && v.has <= k) {
        v.alive = False;
        v.leaves = True;
        v.core = k;
        alive_now -= 1;
        quiet = False;
      }
    }
    forall (v in g.nodes()) {
      if (v.leaves) {
        v.leaves = False;
        for (w in g.neighbors(v)) {
          if (w != v) {
            w.has -= 1;
          }
        }
      }
    }
    if (quiet) {
      k++;
    }
  }
}
