// while; a matrix of inverse degrees: each node's 1 / degree is computed once, and multiplied
function pagerank(Graph g, propNode<double> rank, double damping, double tolerance, int max_iterations) {
  propNode<double> inverse;
  propNode<double> next;
  double n = g.num_nodes();
  g.attachNodeProperty(rank = 1.0 / n, inverse = 0.0);
  forall (v in g.nodes().filter(g.count_outNbrs(v) > 0)) {
    v.inverse = 1.0 / g.count_outNbrs(v);
  }
  double change = INF;
  int k = 0;
  while (change > tolerance && k < max_iterations) {
    double dangling = 0.0;
    forall (v in g.nodes().filter(g.count_outNbrs(v) == 0)) {
      dangling += v.rank;
    }
    change = 0.0;
    forall (v in g.nodes()) {
      double inflow = 0.0;
      for (u in g.nodes_to(v)) {
        inflow += u.rank * u.inverse;
      }
      v.next = (1.0 - damping) / n + damping * (inflow + dangling / n);
      change += abs(v.next - v.rank);
    }
    rank = next;
    k++;
  }
}
