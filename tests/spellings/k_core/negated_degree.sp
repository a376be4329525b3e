// while; what is missing to k + 1 in place of the degree, counted up by push; loops counted off first
function k_core(Graph g, propNode<int> core) {
  propNode<int> have;
  propNode<bool> in_core;
  propNode<bool> fall;
  g.attachNodeProperty(in_core = True, fall = False, core = 0);
  forall (v in g.nodes()) {
    int loops = 0;
    for (u in g.nodes_to(v)) {
      if (u == v) {
        loops++;
      }
    }
    v.have = g.count_inNbrs(v) - loops;
  }
  int need = 1;
  long members = g.num_nodes();
  while (members > 0) {
    bool fell = False;
    forall (v in g.nodes().filter(in_core == True)) {
      if (need - v.have > 0) {
        v.fall = True;
        v.in_core = False;
        v.core = need - 1;
        members -= 1;
        fell = True;
      }
    }
    if (fell) {
      forall (v in g.nodes().filter(fall == True)) {
        v.fall = False;
        forall (w in g.neighbors(v).filter(in_core == True)) {
          w.have -= 1;
        }
      }
    } else {
      need++;
    }
  }
}
