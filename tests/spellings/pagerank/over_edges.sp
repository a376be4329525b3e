// while; push over edges; the degree in a property; the change by if in place of abs
function pagerank(Graph g, propNode<double> rank, double damping, double tolerance, int max_iterations) {
  propNode<int> out;
  propNode<double> sum;
  double n = g.num_nodes();
  forall (v in g.nodes()) {
    v.rank = 1.0 / n;
    v.out = g.count_outNbrs(v);
  }
  bool moving = True;
  int i = 0;
  while (moving && i < max_iterations) {
    double lost = 0.0;
    g.attachNodeProperty(sum = 0.0);
    forall (e in g.edges()) {
      node to = e.destination;
      node from_node = e.source;
      to.sum += from_node.rank / from_node.out;
    }
    forall (v in g.nodes().filter(out == 0)) {
      lost += v.rank;
    }
    double change = 0.0;
    forall (v in g.nodes()) {
      double next = (1.0 - damping) / n + damping * (v.sum + lost / n);
      if (next > v.rank) {
        change += next - v.rank;
      } else {
        change += v.rank - next;
      }
      v.rank = next;
    }
    moving = change > tolerance;
    i++;
  }
}
