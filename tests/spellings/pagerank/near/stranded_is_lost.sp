// As pull, but the rank of nodes without out-arcs goes nowhere.
function pagerank(Graph g, propNode<double> rank, double damping, double tolerance, int max_iterations) {
  propNode<double> fresh;
  double n = g.num_nodes();
  g.attachNodeProperty(rank = 1 / n);
  double change = INF;
  int it = 0;
  while (change > tolerance && it < max_iterations) {
    change = 0.0;
    forall (v in g.nodes()) {
      double sum = 0.0;
      for (u in g.nodes_to(v)) {
        sum += u.rank / g.count_outNbrs(u);
      }
      v.fresh = (1 - damping) / n + damping * sum;
      change += abs(v.fresh - v.rank);
    }
    rank = fresh;
    it++;
  }
}
