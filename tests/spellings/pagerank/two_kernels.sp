// while; a C user's: contributions first, then sums of them, then the change, each in a loop of its own
function pagerank(Graph g, propNode<double> rank, double damping, double tolerance, int max_iterations) {
  propNode<double> contrib;
  propNode<double> fresh;
  int n = g.num_nodes();
  double d = damping;
  forall (v in g.nodes()) {
    v.rank = 1.0 / n;
  }
  double err = 1.0 + tolerance;
  int it = 0;
  while (it < max_iterations && err > tolerance) {
    double lost = 0.0;
    forall (v in g.nodes()) {
      int deg = g.count_outNbrs(v);
      if (deg > 0) {
        v.contrib = v.rank / deg;
      } else {
        v.contrib = 0.0;
        lost += v.rank;
      }
    }
    forall (v in g.nodes()) {
      double s = 0.0;
      for (u in g.nodes_to(v)) {
        s += u.contrib;
      }
      v.fresh = (1.0 - d) / n + d * (s + lost / n);
    }
    err = 0.0;
    forall (v in g.nodes()) {
      err += abs(v.fresh - v.rank);
    }
    forall (v in g.nodes()) {
      v.rank = v.fresh;
    }
    it++;
  }
}
