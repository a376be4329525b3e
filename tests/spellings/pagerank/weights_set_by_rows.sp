// weights 1 / degree on arcs, set row by row; pull multiplies; while
function pagerank(Graph g, propNode<double> rank, double damping, double tolerance, int max_iterations) {
  propEdge<double> part;
  propNode<double> next;
  double n = g.num_nodes();
  g.attachNodeProperty(rank = 1.0 / n);
  forall (v in g.nodes()) {
    for (w in g.neighbors(v)) {
      edge e = g.get_edge(v, w);
      e.part = 1.0 / g.count_outNbrs(v);
    }
  }
  double change = INF;
  int iterations = 0;
  while (change > tolerance && iterations < max_iterations) {
    double lost = 0.0;
    forall (v in g.nodes()) {
      if (g.count_outNbrs(v) == 0) {
        lost += v.rank;
      }
    }
    change = 0.0;
    forall (v in g.nodes()) {
      double sum = 0.0;
      for (u in g.nodes_to(v)) {
        edge e = g.get_edge(u, v);
        sum += u.rank * e.part;
      }
      v.next = (1.0 - damping) / n + damping * (sum + lost / n);
      change += abs(v.next - v.rank);
    }
    rank = next;
    iterations++;
  }
}
