// for with break at its end; what all get is stored first, arcs add to it by push; the ranks before in a copy
// names: rank=share
function surfers(Graph g, propNode<double> share, double damping = 0.85, double tolerance = 1e-6, int max_iterations = 100) {
  propNode<double> before;
  double n = g.num_nodes();
  g.attachNodeProperty(share = 1.0 / n, before = 0.0);
  for (int i = 0; i < max_iterations; i++) {
    before = share;
    double dangling = 0.0;
    forall (v in g.nodes()) {
      if (g.count_outNbrs(v) == 0) {
        dangling += v.before;
      }
    }
    double base = (1.0 - damping) / n + damping * dangling / n;
    forall (v in g.nodes()) {
      v.share = base;
    }
    forall (v in g.nodes()) {
      forall (w in g.neighbors(v)) {
        w.share += damping * v.before / g.count_outNbrs(v);
      }
    }
    double delta = 0.0;
    forall (v in g.nodes()) {
      delta += abs(v.share - v.before);
    }
    if (delta <= tolerance) {
      break;
    }
  }
}
