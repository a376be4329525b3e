// As sequential_sums, but in place: nodes further on see the new ranks of those before (Gauss and Seidel).
function pagerank(Graph g, propNode<double> rank, double damping, double tolerance, int max_iterations) {
  double n = g.num_nodes();
  g.attachNodeProperty(rank = 1.0 / n);
  double change = INF;
  int i = 0;
  while (change > tolerance && i < max_iterations) {
    double stranded = 0.0;
    forall (v in g.nodes().filter(g.count_outNbrs(v) == 0)) {
      stranded += v.rank;
    }
    change = 0.0;
    for (v in g.nodes()) {
      double inflow = 0.0;
      for (u in g.nodes_to(v)) {
        inflow += u.rank / g.count_outNbrs(u);
      }
      double next = (1.0 - damping) / n + damping * (inflow + stranded / n);
      change += abs(next - v.rank);
      v.rank = next;
    }
    i++;
  }
}
