// inverse degrees chosen by ?:, 0 where there are none, which is asked for; pull multiplies; while
function pagerank(Graph g, propNode<double> rank, double damping, double tolerance, int max_iterations) {
  propNode<double> inv_deg;
  propNode<double> next;
  double n = g.num_nodes();
  forall (v in g.nodes()) {
    v.rank = 1.0 / n;
    v.inv_deg = g.count_outNbrs(v) == 0 ? 0.0 : 1.0 / g.count_outNbrs(v);
  }
  double change = INF;
  int iterations = 0;
  while (change > tolerance && iterations < max_iterations) {
    double stranded = 0.0;
    forall (v in g.nodes()) {
      if (v.inv_deg == 0.0) {
        stranded += v.rank;
      }
    }
    change = 0.0;
    forall (v in g.nodes()) {
      double sum = 0.0;
      for (u in g.nodes_to(v)) {
        sum += u.rank * u.inv_deg;
      }
      v.next = (1.0 - damping) / n + damping * (sum + stranded / n);
      change += abs(v.next - v.rank);
    }
    rank = next;
    iterations++;
  }
}
