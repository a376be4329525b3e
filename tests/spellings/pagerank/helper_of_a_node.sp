// while; a helper says what a node gets; the base is a local; stranded by an if; difference by a conditional
// names: rank=pr
function received(Graph g, propNode<double> pr, node v) {
  double sum = 0.0;
  for (u in g.nodes_to(v)) {
    sum += u.pr / g.count_outNbrs(u);
  }
  return sum;
}

function pagerank(Graph g, propNode<double> pr, double damping = 0.85, double tolerance = 1e-6, int max_iterations = 100) {
  propNode<double> next;
  double n = g.num_nodes();
  double diff = INF;
  int i = 0;
  g.attachNodeProperty(pr = 1.0 / n);
  while (i < max_iterations && diff > tolerance) {
    double sink = 0.0;
    for (v in g.nodes()) {
      if (g.count_outNbrs(v) == 0) {
        sink += v.pr;
      }
    }
    diff = 0.0;
    forall (v in g.nodes()) {
      double got = received(g, pr, v);
      v.next = (1.0 - damping) / n + damping * (got + sink / n);
      diff += abs(v.next - v.pr);
    }
    g.attachNodeProperty(pr = next);
    i++;
  }
}
