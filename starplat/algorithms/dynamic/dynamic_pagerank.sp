// PageRank of a graph that changes, after every batch of updates.
//
// `rank` is as in `pagerank`. After a batch it begins with the ranks from before, which are near those to be found, so
// that few rounds are left; each time it stops when a round changes the ranks by `tolerance` or less in total, or after
// `max_iterations` rounds.
Dynamic dynamic_pagerank(Graph g, propNode<double> rank, updates<g> changes, double damping = 0.85,
                         double tolerance = 1e-6, int max_iterations = 100, int batch = 1000) {
  g.attachNodeProperty(rank = 1.0 / g.num_nodes());
  settle(g, rank, damping, tolerance, max_iterations);
  Batch (changes : batch) {
    g.updateCSRDel(changes);
    g.updateCSRAdd(changes);
    settle(g, rank, damping, tolerance, max_iterations);
  }
}

// Rounds of PageRank from any ranks that sum to 1.
function settle(Graph g, propNode<double> rank, double damping, double tolerance, int max_iterations) {
  propNode<double> rank_nxt;
  double n = g.num_nodes();
  double change = INF;
  int iterations = 0;
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
