// As pull, but ranks come from the out-neighbors, shared among their in-arcs: the ranks of the graph turned round.
function pagerank(Graph g, propNode<double> rank, double damping, double tolerance, int max_iterations) {
  propNode<double> fresh;
  double n = g.num_nodes();
  g.attachNodeProperty(rank = 1 / n);
  double change = INF;
  int it = 0;
  while (change > tolerance && it < max_iterations) {
    change = 0.0;
    double lost = 0.0;
    forall (v in g.nodes()) {
      if (g.count_inNbrs(v) == 0) {
        lost += v.rank;
      }
    }
    forall (v in g.nodes()) {
      double sum = 0.0;
      for (u in g.neighbors(v)) {
        sum += u.rank / g.count_inNbrs(u);
      }
      v.fresh = (1 - damping) / n + damping * (sum + lost / n);
      change += abs(v.fresh - v.rank);
    }
    rank = fresh;
    it++;
  }
}
