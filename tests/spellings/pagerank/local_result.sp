// while; the ranks are a local, copied at the end; order of statements: dangling nodes after the pull; own-cell +=
// names: rank=answer
function pagerank(Graph g, propNode<double> answer, double damping, double tolerance, int max_iterations) {
  propNode<double> x;
  propNode<double> y;
  double n = g.num_nodes();
  double error = INF;
  g.attachNodeProperty(x = 1.0 / n);
  int i = 0;
  while (i < max_iterations && error > tolerance) {
    double orphaned = 0.0;
    g.attachNodeProperty(y = 0.0);
    forall (v in g.nodes()) {
      for (u in g.nodes_to(v)) {
        v.y += u.x / g.count_outNbrs(u);
      }
    }
    forall (v in g.nodes().filter(g.count_outNbrs(v) == 0)) {
      orphaned += v.x;
    }
    error = 0.0;
    forall (v in g.nodes()) {
      v.y = damping * (v.y + orphaned / n) + (1.0 - damping) / n;
      error += abs(v.x - v.y);
      v.x = v.y;
    }
    i++;
  }
  answer = x;
}
