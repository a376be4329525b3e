// Two variables called M_PI became M_PI_ and M_PI_2, which is a constant of OpenCL's own.
function entry(Graph g, propNode<int> p, propNode<int> q, node src) {
  int total = 0;
  forall (M_PI in g.nodes()) {
    M_PI.q = M_PI.p + 1;
  }
  forall (M_PI in g.neighbors(src)) {
    total += M_PI.p + src.q;
  }
  forall (v in g.nodes()) {
    int M_PI_ = v.q;
    forall (M_PI in g.neighbors(v)) {
      M_PI_ = max(M_PI_, M_PI.p);
    }
    v.q = M_PI_ + total;
  }
}
