// while; pull with a guard and a ternary; max in the divisor; the number of nodes asked for each time
function pagerank(Graph g, propNode<double> rank, double damping, double tolerance, int max_iterations) {
  propNode<double> rank_nxt;
  g.attachNodeProperty(rank = 1.0 / g.num_nodes());
  int iterations = 0;
  double change = tolerance + 1.0;
  while (iterations < max_iterations && tolerance < change) {
    double stranded = 0.0;
    forall (v in g.nodes()) {
      stranded += g.getOutDegree(v) > 0 ? 0.0 : v.rank;
    }
    forall (v in g.nodes()) {
      double inflow = 0.0;
      for (u in g.nodes_to(v)) {
        if (u.rank > 0.0) {
          inflow += u.rank / max(1, g.getOutDegree(u));
        }
      }
      v.rank_nxt = (1.0 - damping) / g.num_nodes() + damping * inflow + damping * stranded / g.num_nodes();
    }
    change = 0.0;
    forall (v in g.nodes()) {
      change = change + abs(v.rank_nxt - v.rank);
    }
    rank = rank_nxt;
    iterations = iterations + 1;
  }
}
