// do…while; reciprocals of degrees in a property, 0 for none; pull of products; the change kept as a local of the loop
// names: max_iterations=m
function pagerank(Graph g, propNode<double> rank, double damping, double tolerance, int m) {
  propNode<double> inverse;
  propNode<double> next;
  double n = g.num_nodes();
  g.attachNodeProperty(rank = 1.0 / n, inverse = 0.0);
  forall (v in g.nodes().filter(g.count_outNbrs(v) > 0)) {
    v.inverse = 1.0 / g.count_outNbrs(v);
  }
  int i = 0;
  bool proceed = m > 0;
  while (proceed) {
    double change = 0.0;
    double rest = 0.0;
    forall (v in g.nodes()) {
      if (v.inverse == 0.0) rest += v.rank;
    }
    forall (v in g.nodes()) {
      double s = rest / n;
      forall (u in g.nodes_to(v)) {
        s += u.rank * u.inverse;
      }
      v.next = damping * s + (1.0 - damping) / n;
      change += abs(v.rank - v.next);
    }
    rank = next;
    i++;
    proceed = i < m && change > tolerance;
  }
}
