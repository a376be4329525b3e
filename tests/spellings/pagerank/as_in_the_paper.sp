// do…while; StarPlat's: pull, a sum and a value in locals, a diff, the copy at the end of a round
function Compute_PR(Graph g, propNode<double> rank, double damping, double tolerance, int max_iterations) {
  propNode<double> pageRank_nxt;
  double num_nodes = g.num_nodes();
  g.attachNodeProperty(rank = 1 / num_nodes);
  int iterCount = 0;
  double diff = INF;
  while ((diff > tolerance) && (iterCount < max_iterations)) {
    double dangling = 0.0;
    forall (v in g.nodes()) {
      if (g.count_outNbrs(v) == 0) {
        dangling += v.rank;
      }
    }
    diff = 0.0;
    forall (v in g.nodes()) {
      double sum = 0.0;
      for (nbr in g.nodes_to(v)) {
        sum = sum + nbr.rank / g.count_outNbrs(nbr);
      }
      double val = (1 - damping) / num_nodes + damping * (sum + dangling / num_nodes);
      diff += abs(val - v.rank);
      v.pageRank_nxt = val;
    }
    rank = pageRank_nxt;
    iterCount++;
  }
}
