// counted loop with break; pull; double buffer by attach; the parts of the formula in temporaries
// names: tolerance=epsilon max_iterations=max_iter
function pagerank(Graph g, propNode<double> rank, double damping, double epsilon, int max_iter) {
  propNode<double> rank_new;
  int count = g.num_nodes();
  double base = (1.0 - damping) / count;
  g.attachNodeProperty(rank = 1.0 / count, rank_new = 0.0);
  for (int i = 0; i < max_iter; i++) {
    double diff = 0.0;
    double sink = 0.0;
    forall (v in g.nodes().filter(g.count_outNbrs(v) == 0)) {
      sink += v.rank;
    }
    double everyone = base + damping * sink / count;
    forall (v in g.nodes()) {
      double s = 0.0;
      for (u in g.nodes_to(v)) {
        s += u.rank / g.count_outNbrs(u);
      }
      double mine = everyone + damping * s;
      double step = mine - v.rank;
      v.rank_new = mine;
      diff += abs(step);
    }
    g.attachNodeProperty(rank = rank_new);
    if (diff <= epsilon) break;
  }
}
