// PageRank of a graph that changes, after every batch of updates.
//
// `rank` is as in `pagerank`. After a batch it begins with the ranks from before, which are near those to be found; each
// time it stops when a round changes the ranks by `tolerance` or less in total, or after `max_iterations` rounds. What
// a round changes is small beside the ranks, so it is a `float`; what that leaves out is looked at anew. The first
// rounds take larger or smaller steps in turn, first of all against what a round multiplies by `damping` or its
// negative, as it does what updates move from one component to another (Richardson's method; Young, "On Richardson's
// method for solving linear systems with positive definite matrices", J. Math. and Phys., 1953). Such a step may make
// the rest larger, so it is taken only where plain rounds, as many as are left, would end within the tolerance still.
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

// Rounds of PageRank from any ranks that sum to 1; `share` is what a node gives to each neighbor.
function settle(Graph g, propNode<double> rank, double damping, double tolerance, int max_iterations) {
  propNode<double> share;
  propNode<float> step, step_share;
  g.attachNodeProperty(step = 0.0, step_share = 0.0);
  double n = g.num_nodes();
  double enough = INF;
  int iterations = 0;
  while (enough > tolerance && iterations < max_iterations) {
    double stranded = 0.0;
    forall (v in g.nodes()) {
      v.rank += v.step;
      v.share = v.rank / g.count_outNbrs(v);
      if (g.count_outNbrs(v) == 0) {
        stranded += v.rank;
      }
    }
    double change = 0.0;
    forall (v in g.nodes()) {
      double inflow = 0.0;
      for (nbr in g.nodes_to(v)) {
        inflow += nbr.share;
      }
      double more = (1.0 - damping) / n + damping * (inflow + stranded / n) - v.rank;
      v.step = more;
      change += abs(more);
    }
    iterations++;
    enough = max(tolerance, change / 1000000.0);
    double root = damping < 1.0 ? damping : 0.0;
    while (change > enough && iterations < max_iterations) {
      double size = 1.0 / (1.0 - root), left = 0.0;
      double most = change * (abs(size - 1.0) + size * damping);
      if (most * pow(damping, max_iterations - iterations - 1) > tolerance) {
        size = 1.0;
      } else {
        root = root > 0.0 ? -root : -0.7 * root;
      }
      forall (v in g.nodes()) {
        v.rank += size * v.step;
        if (g.count_outNbrs(v) > 0) {
          v.step_share = v.step / g.count_outNbrs(v);
        } else {
          left += v.step;
        }
      }
      change = 0.0;
      forall (v in g.nodes()) {
        double inflow = 0.0;
        for (nbr in g.nodes_to(v)) {
          inflow += nbr.step_share;
        }
        float more = v.step + size * (damping * (inflow + left / n) - v.step);
        v.step = more;
        change += abs(more);
      }
      enough = max(enough, change / 1000000.0);
      iterations++;
    }
  }
  forall (v in g.nodes()) {
    v.rank += v.step;
  }
}
