// while; pull; sequential loops over nodes where sums are made; for in place of forall
function pagerank(Graph g, propNode<double> rank, double damping, double tolerance, int max_iterations) {
  propNode<double> fresh;
  double n = g.num_nodes();
  for (v in g.nodes()) {
    v.rank = 1.0 / n;
  }
  double change = INF;
  int i = 0;
  while (change > tolerance && i < max_iterations) {
    double stranded = 0.0;
    for (v in g.nodes()) {
      if (g.count_outNbrs(v) == 0) {
        stranded += v.rank;
      }
    }
    change = 0.0;
    for (v in g.nodes()) {
      double inflow = 0.0;
      for (u in g.nodes_to(v)) {
        inflow += u.rank / g.count_outNbrs(u);
      }
      v.fresh = (1.0 - damping) / n + damping * (inflow + stranded / n);
      change += abs(v.fresh - v.rank);
    }
    rank = fresh;
    i++;
  }
}
