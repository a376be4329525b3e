// As peel without counting down: the number of arcs from others.
function k_core(Graph g, propNode<int> core) {
  propNode<int> deg;
  g.attachNodeProperty(core = -1, deg = 0);
  forall (v in g.nodes()) {
    for (u in g.nodes_to(v)) {
      if (u != v) {
        v.deg += 1;
      }
    }
  }
  int k = 0;
  long rest = g.num_nodes();
  while (rest > 0) {
    long gone = 0;
    forall (v in g.nodes()) {
      if (v.core == -1 && v.deg <= k) {
        v.core = k;
        gone += 1;
      }
    }
    rest = rest - gone;
    if (gone == 0) {
      k++;
    }
  }
}
