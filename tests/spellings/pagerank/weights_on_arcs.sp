// while; a matrix with a value for each arc, 1 / degree of its source, computed once
function pagerank(Graph g, propNode<double> rank, double damping, double tolerance, int max_iterations) {
  propEdge<double> share;
  propNode<double> next;
  double n = g.num_nodes();
  forall (v in g.nodes()) {
    v.rank = 1.0 / n;
    forall (w in g.neighbors(v)) {
      edge e = g.get_edge(v, w);
      e.share = 1.0 / g.count_outNbrs(v);
    }
  }
  double change = INF;
  int k = 0;
  while (change > tolerance && k < max_iterations) {
    double dangling = 0.0;
    forall (v in g.nodes().filter(g.count_outNbrs(v) == 0)) {
      dangling += v.rank;
    }
    change = 0.0;
    forall (v in g.nodes()) {
      double inflow = 0.0;
      for (u in g.nodes_to(v)) {
        edge e = g.get_edge(u, v);
        inflow += e.share * u.rank;
      }
      v.next = (1.0 - damping) / n + damping * (inflow + dangling / n);
      change += abs(v.next - v.rank);
    }
    rank = next;
    k++;
  }
}
