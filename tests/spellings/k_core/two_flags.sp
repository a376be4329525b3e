// while nodes are left; a second flag property beside the degree; fixedPoint over those that go
function kcore(Graph g, propNode<int> core) {
  propNode<int> d;
  propNode<bool> peel;
  g.attachNodeProperty(core = -1, d = 0, peel = False);
  forall (v in g.nodes()) {
    forall (w in g.neighbors(v)) {
      if (w != v) {
        w.d += 1;
      }
    }
  }
  int k = 0;
  long rest = g.num_nodes();
  while (rest > 0) {
    long now = 0;
    forall (v in g.nodes()) {
      if (v.core < 0) {
        if (v.d <= k) {
          v.peel = True;
          v.core = k;
          now++;
        }
      }
    }
    forall (v in g.nodes()) {
      if (v.peel) {
        forall (w in g.neighbors(v)) {
          if (w != v) {
            w.d -= 1;
          }
        }
        v.peel = False;
      }
    }
    rest = rest - now;
    if (now == 0) {
      k++;
    }
  }
}
