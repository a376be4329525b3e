// PageRank: `rank` is the share of time that a surfer who follows random arcs, and jumps at times, spends at a node.
//
// It jumps with probability 1 - `damping`. Ranks sum to 1; the rank of nodes without out-edges is spread evenly over
// all, as NetworkX and LDBC Graphalytics do. Stops when a round changes the ranks by `tolerance` or less in total, or
// after `max_iterations` rounds.
function pagerank(Graph g, propNode<double> rank, double damping = 0.85, double tolerance = 1e-6, int max_iterations = 100) {
  propNode<double> rank_nxt;
  double n = g.num_nodes();
  double change = INF;
  int iterations = 0;
  g.attachNodeProperty(rank = 1.0 / n);
  while (change > tolerance && iterations < max_iterations) {
    double stranded = 0.0;
    forall (v in g.nodes().filter(g.count_outNbrs(v) == 0)) {
      stranded += v.rank;
    }
    change = 0.0;
    forall (v in g.nodes()) {
      double inflow = 0.0;
      for (nbr in g.nodes_to(v)) {
        inflow += nbr.rank / g.count_outNbrs(nbr);
      }
      v.rank_nxt = (1.0 - damping) / n + damping * (inflow + stranded / n);
      change += abs(v.rank_nxt - v.rank);
    }
    rank = rank_nxt;
    iterations++;
  }
}
