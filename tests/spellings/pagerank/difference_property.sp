// do…while; the change of each node in a property, summed by Sum; pull; two buffers
// names: rank=score
function pagerank(Graph g, propNode<double> score, double damping, double tolerance, int max_iterations) {
  propNode<double> before;
  propNode<double> moved;
  double n = g.num_nodes();
  g.attachNodeProperty(score = 1.0 / n, moved = 1.0);
  int t = 0;
  double total = 1.0;
  if (max_iterations > 0) {
    do {
      before = score;
      double leak = 0.0;
      forall (v in g.nodes()) {
        if (g.count_outNbrs(v) == 0) leak += v.before;
      }
      forall (v in g.nodes()) {
        double sum = 0.0;
        for (u in g.nodes_to(v)) {
          sum += u.before / g.count_outNbrs(u);
        }
        v.score = (1.0 - damping) / n + damping * (sum + leak / n);
        v.moved = abs(v.score - v.before);
      }
      total = Sum(moved);
      t++;
    } while (total > tolerance && t < max_iterations);
  }
}
