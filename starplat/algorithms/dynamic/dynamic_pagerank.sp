// PageRank of a graph that changes, after every batch of updates.
//
// `rank` is as in `pagerank`. After a batch it begins with the ranks from before, which are near those to be found; each
// time it stops when a round changes the ranks by `tolerance` or less in total, or after `max_iterations` rounds.
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

// Rounds of PageRank from any ranks that sum to 1. A round moves each rank by `moved` and leaves `step` to be moved; both
// are small beside the ranks, so they are floats, and what that leaves out is looked at anew. A plain round moves by
// `step`. Others are taken only where plain ones, as many as are left, would end within the tolerance still. These
// - leave out what nodes without out-edges give to all; at last ranks are made to sum to 1 (Del Corso, Gulli and Romani,
//   "Fast PageRank computation via a sparse linear system", Internet Math., 2005);
// - let nodes to which few arcs lead settle first, among themselves, if these arcs are few in all;
// - make all other ranks larger or smaller by one factor, as the sum of the steps asks (Langville and Meyer, "Updating
//   Markov chains with an eye on Google's PageRank", SIAM J. Matrix Anal. Appl., 2006);
// - take larger or smaller steps in turn where a round has left more than half, first of all against what it multiplies
//   by `damping` or its negative (Young, "On Richardson's method for solving linear systems with positive definite
//   matrices", J. Math. and Phys., 1953), as nodes of few arcs do from their second round on.
function settle(Graph g, propNode<double> rank, double damping, double tolerance, int max_iterations) {
  propNode<double> share;
  propNode<float> step, moved, moved_share, rest;
  propNode<bool> waits, again;
  g.attachNodeProperty(step = 0.0, moved = 0.0, moved_share = 0.0, rest = 0.0, waits = False, again = False);
  double n = g.num_nodes();
  long arcs = 0, arcs_of_few = 0;
  forall (v in g.nodes()) {
    arcs += g.count_inNbrs(v);
    if (g.count_inNbrs(v) <= 8) {
      arcs_of_few += g.count_inNbrs(v);
    }
  }
  int few = 8 * arcs_of_few <= arcs ? 8 : -1;
  forall (v in g.nodes().filter(g.count_inNbrs(v) <= few)) {
    for (nbr in g.nodes_to(v)) {
      if (g.count_inNbrs(nbr) <= few) {
        v.again = True;
      }
    }
  }
  double enough = INF;
  int iterations = 0;
  while (enough > tolerance && iterations < max_iterations) {
    double stranded = 0.0;
    forall (v in g.nodes()) {
      v.share = v.rank / g.count_outNbrs(v);
      if (g.count_outNbrs(v) == 0) {
        stranded += v.rank;
      }
    }
    double least = (1.0 - damping) / n + damping * (stranded / n);
    double change = 0.0, sum = 0.0, by_factor = 0.0;
    forall (v in g.nodes()) {
      double inflow = 0.0;
      for (nbr in g.nodes_to(v)) {
        inflow += nbr.share;
      }
      double more = least + damping * inflow - v.rank;
      v.step = more;
      change += abs(more);
      sum += more;
      by_factor += (v.rank - (g.count_inNbrs(v) <= few ? least : 0.0)) * (g.count_outNbrs(v) > 0 ? 1.0 - damping : 1.0);
    }
    iterations++;
    enough = max(tolerance, change / 1000000.0);
    double before = INF, root = damping < 1.0 ? damping : 0.0;
    bool alike = True;
    while (change > enough && iterations < max_iterations) {
      double most = change * 2.0 / (1.0 - damping);
      bool plain = most * pow(damping, max_iterations - iterations - 1) > tolerance;
      double size = 1.0, factor = 0.0, given = 0.0;
      if (!plain) {
        if (change < before && change > before / 2.0) {
          size = 1.0 / (1.0 - root);
          root = root > 0.0 ? -root : -0.7 * root;
          alike = False;
        } else if (alike && by_factor > 0.0) {
          factor = damping * sum / by_factor;
        }
      }
      forall (v in g.nodes()) {
        v.waits = g.count_inNbrs(v) <= few;
        v.moved = g.count_inNbrs(v) <= few ? v.step : size * v.step + factor * v.rank;
        if (g.count_outNbrs(v) > 0) {
          v.moved_share = v.moved / g.count_outNbrs(v);
        } else if (plain) {
          given += v.moved;
        }
      }
      double left = plain ? 0.0 : change;
      double root_of_few = 0.0;
      int rounds_of_few = 0;
      while (left > change / 32.0 && rounds_of_few < max_iterations) {
        left = 0.0;
        forall (v in g.nodes().filter(waits)) {
          double inflow = 0.0;
          for (nbr in g.nodes_to(v)) {
            inflow += nbr.moved_share;
          }
          v.rest = v.step + damping * inflow - v.moved;
          left += abs(v.rest);
        }
        double size_of_few = 1.0;
        if (left > change / 32.0) {
          size_of_few = 1.0 / (1.0 - root_of_few);
          root_of_few = rounds_of_few == 0 ? damping : (root_of_few > 0.0 ? -root_of_few : -0.7 * root_of_few);
        }
        forall (v in g.nodes().filter(waits)) {
          v.moved += size_of_few * v.rest;
          if (g.count_outNbrs(v) > 0) {
            v.moved_share = v.moved / g.count_outNbrs(v);
          }
          v.waits = v.again;
        }
        rounds_of_few++;
      }
      before = change;
      change = 0.0;
      sum = 0.0;
      by_factor = 0.0;
      forall (v in g.nodes()) {
        double inflow = 0.0;
        for (nbr in g.nodes_to(v)) {
          inflow += nbr.moved_share;
        }
        float more = v.step + damping * (inflow + given / n) - v.moved;
        v.rank += v.moved;
        v.step = more;
        change += abs(more);
        sum += more;
        by_factor += (v.rank - (g.count_inNbrs(v) <= few ? least : 0.0)) * (g.count_outNbrs(v) > 0 ? 1.0 - damping : 1.0);
      }
      change += abs(sum);
      enough = max(enough, change / 1000000.0);
      iterations++;
    }
    double total = 0.0;
    forall (v in g.nodes()) {
      v.rank += v.step;
      total += v.rank;
    }
    forall (v in g.nodes()) {
      v.rank /= total;
    }
  }
}
