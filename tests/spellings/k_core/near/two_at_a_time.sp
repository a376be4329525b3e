// As peel, but k rises by two: odd numbers are rounded up.
function k_core(Graph g, propNode<int> core) {
  propNode<int> deg;
  propNode<bool> now;
  g.attachNodeProperty(core = -1, deg = 0, now = False);
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
        v.now = True;
        gone += 1;
      }
    }
    forall (v in g.nodes().filter(now == True)) {
      v.now = False;
      forall (w in g.neighbors(v)) {
        if (w != v) {
          w.deg -= 1;
        }
      }
    }
    rest = rest - gone;
    if (gone == 0) {
      k += 2;
    }
  }
}
