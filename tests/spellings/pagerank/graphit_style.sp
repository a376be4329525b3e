// while; helpers for an arc's share and a node's update; new ranks start at 0 and are added to; copies
function base(double damping, double n, double lost) {
  return (1.0 - damping) / n + damping * lost / n;
}
function pagerank(Graph g, propNode<double> rank, double damping, double tolerance, int max_iterations) {
  propNode<double> new_rank;
  propNode<double> out;
  double n = g.num_nodes();
  g.attachNodeProperty(rank = 1.0 / n, new_rank = 0.0);
  double error = INF;
  for (int i = 0; i < max_iterations && error > tolerance; i++) {
    double lost = 0.0;
    forall (v in g.nodes().filter(g.getOutDegree(v) == 0)) {
      lost += v.rank;
    }
    forall (v in g.nodes()) {
      v.out = v.rank / g.getOutDegree(v);
    }
    forall (dst in g.nodes()) {
      for (s in g.nodes_to(dst)) {
        dst.new_rank += s.out;
      }
    }
    error = 0.0;
    forall (v in g.nodes()) {
      double old = v.rank;
      v.rank = base(damping, n, lost) + damping * v.new_rank;
      error += abs(v.rank - old);
      v.new_rank = 0.0;
    }
  }
}
