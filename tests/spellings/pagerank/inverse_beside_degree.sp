// degrees and inverse degrees in properties; pull multiplies; a flag says to go on
function pagerank(Graph g, propNode<double> rank, double damping, double tolerance, int max_iterations) {
  propNode<int> deg;
  propNode<double> inv_deg;
  propNode<double> fresh;
  int n = g.num_nodes();
  g.attachNodeProperty(rank = 1.0 / n, inv_deg = 0.0, deg = 0);
  forall (v in g.nodes()) {
    v.deg = g.count_outNbrs(v);
    v.inv_deg = v.deg == 0 ? 0.0 : 1.0 / v.deg;
  }
  double diff = 0.0;
  int i = 0;
  bool go = max_iterations > 0;
  while (go) {
    double sink = 0.0;
    forall (v in g.nodes().filter(deg == 0)) {
      sink += v.rank;
    }
    double base = (1.0 - damping) / n + damping * (sink / n);
    diff = 0.0;
    forall (v in g.nodes()) {
      double sum = 0.0;
      for (u in g.nodes_to(v)) {
        sum += u.inv_deg * u.rank;
      }
      v.fresh = base + damping * sum;
      diff += abs(v.fresh - v.rank);
    }
    forall (v in g.nodes()) {
      v.rank = v.fresh;
    }
    i++;
    go = diff > tolerance && i < max_iterations;
  }
}
