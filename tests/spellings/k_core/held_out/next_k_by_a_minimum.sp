// do … while; waves at the least degree left, which says the next k; a flag of the round ends it; push
// names: core=c
function cores(Graph g, propNode<int> c) {
  propNode<int> d;
  propNode<bool> wave;
  g.attachNodeProperty(c = -1, d = 0, wave = False);
  forall (v in g.nodes()) {
    int n = 0;
    for (u in g.nodes_to(v)) {
      n += u != v ? 1 : 0;
    }
    v.d = n;
  }
  int k = 0;
  bool any = False;
  do {
    any = False;
    int low = INF;
    forall (v in g.nodes()) {
      if (v.c == -1) {
        low = Min(low, v.d);
        any = True;
      }
    }
    if (any) {
      k = low > k ? low : k;
      forall (v in g.nodes()) {
        if (v.c == -1 && v.d <= k) {
          v.c = k;
          v.wave = True;
        }
      }
      forall (v in g.nodes().filter(wave)) {
        v.wave = False;
        forall (w in g.neighbors(v)) {
          if (w.c == -1) {
            w.d -= 1;
          }
        }
      }
    }
  } while (any);
}
