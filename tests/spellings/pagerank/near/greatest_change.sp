// As pull, but the loop ends by the greatest change of a node and not by the sum.
function pagerank(Graph g, propNode<double> rank, double damping, double tolerance, int max_iterations) {
  propNode<double> fresh;
  double n = g.num_nodes();
  g.attachNodeProperty(rank = 1 / n);
  double change = INF;
  int it = 0;
  while (change > tolerance && it < max_iterations) {
    propNode<double> moved;
    double lost = 0.0;
    forall (v in g.nodes()) {
      if (g.count_outNbrs(v) == 0) {
        lost += v.rank;
      }
    }
    forall (v in g.nodes()) {
      double sum = 0.0;
      for (u in g.nodes_to(v)) {
        sum += u.rank / g.count_outNbrs(u);
      }
      v.fresh = (1 - damping) / n + damping * (sum + lost / n);
      v.moved = abs(v.fresh - v.rank);
    }
    change = Max(moved);
    rank = fresh;
    it++;
  }
}
