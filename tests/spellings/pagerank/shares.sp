// while; pull of shares that are divided once a round; shares in a property; double buffer by copy
// names: rank=r max_iterations=rounds
function pagerank(Graph g, propNode<double> r, double damping, double tolerance, int rounds) {
  propNode<double> share;
  propNode<double> next;
  double n = g.num_nodes();
  forall (v in g.nodes()) {
    v.r = 1.0 / n;
  }
  int k = 0;
  double delta = 2.0 * tolerance + 1.0;
  while (k < rounds && delta > tolerance) {
    double stranded = 0.0;
    forall (v in g.nodes()) {
      if (g.count_outNbrs(v) > 0) {
        v.share = v.r / g.count_outNbrs(v);
      } else {
        v.share = 0.0;
        stranded += v.r;
      }
    }
    delta = 0.0;
    forall (v in g.nodes()) {
      double in = 0.0;
      for (u in g.nodes_to(v)) {
        in = in + u.share;
      }
      v.next = (1.0 - damping) / n + damping * (in + stranded / n);
      delta += abs(v.next - v.r);
    }
    r = next;
    k++;
  }
}
