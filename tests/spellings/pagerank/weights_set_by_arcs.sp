// weights 1 / degree on arcs, set in a loop over arcs; push multiplies; do while
function pagerank(Graph g, propNode<double> rank, double damping, double tolerance, int max_iterations) {
  propEdge<double> share;
  propNode<double> next;
  long n = g.num_nodes();
  g.attachNodeProperty(rank = 1.0 / n);
  forall (e in g.edges()) {
    e.share = 1.0 / g.count_outNbrs(e.source);
  }
  double change = 1.0 + tolerance;
  int k = 0;
  do {
    double dangling = 0.0;
    forall (v in g.nodes().filter(g.count_outNbrs(v) == 0)) {
      dangling += v.rank;
    }
    g.attachNodeProperty(next = 0.0);
    forall (v in g.nodes()) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        w.next += e.share * v.rank;
      }
    }
    change = 0.0;
    forall (v in g.nodes()) {
      v.next = (1.0 - damping) / n + damping * (v.next + dangling / n);
      change += abs(v.next - v.rank);
    }
    rank = next;
    k++;
  } while (change > tolerance && k < max_iterations);
}
