// PageRank of a graph that changes, after every batch of updates.
//
// `rank` is as in `pagerank`. After a batch it begins with the ranks from before, which are near those to be found; each
// time it stops when a round changes the ranks by `tolerance` or less in total, or after `max_iterations` rounds. What
// updates move from one component to another comes only slowly to an end, times `damping` each round: it is taken in
// one leap (Haveliwala et al., "Computing PageRank using power extrapolation", Stanford, 2003).
Dynamic dynamic_pagerank(Graph g, propNode<double> rank, updates<g> changes, double damping = 0.85,
                         double tolerance = 1e-6, int max_iterations = 100, int batch = 1000) {
  g.attachNodeProperty(rank = 1.0 / g.num_nodes());
  settle(g, rank, damping, tolerance, max_iterations);
  Batch (changes : batch) {
    g.updateCSRDel(changes);
    g.updateCSRAdd(changes);
    propNode<double> before = rank;
    settle(g, rank, damping, tolerance, min(2, max_iterations));
    double left = max_iterations > 2 && damping < 1.0 ? damping * damping : 0.0;
    forall (v in g.nodes()) {
      v.rank = (v.rank - left * v.before) / (1.0 - left);
    }
    settle(g, rank, damping, tolerance, max_iterations - 2);
  }
}

// Rounds of PageRank from any ranks that sum to 1; `share` is what a node gives to each neighbor.
function settle(Graph g, propNode<double> rank, double damping, double tolerance, int max_iterations) {
  propNode<double> share;
  propNode<double> share_nxt;
  double n = g.num_nodes();
  double stranded = 0.0;
  forall (v in g.nodes()) {
    v.share = v.rank / g.count_outNbrs(v);
    if (g.count_outNbrs(v) == 0) {
      stranded += v.rank;
    }
  }
  double change = INF;
  int iterations = 0;
  while (change > tolerance && iterations < max_iterations) {
    double stranded_nxt = 0.0;
    change = 0.0;
    forall (v in g.nodes()) {
      double inflow = 0.0;
      for (nbr in g.nodes_to(v)) {
        inflow += nbr.share;
      }
      double before = v.rank;
      v.rank = (1.0 - damping) / n + damping * (inflow + stranded / n);
      v.share_nxt = v.rank / g.count_outNbrs(v);
      change += abs(v.rank - before);
      if (g.count_outNbrs(v) == 0) {
        stranded_nxt += v.rank;
      }
    }
    share = share_nxt;
    stranded = stranded_nxt;
    iterations++;
  }
}
