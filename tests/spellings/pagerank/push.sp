// do…while; push: each node adds its share to its neighbors; +=; the changes are summed in a loop of their own
function pagerank(Graph g, propNode<double> rank, double damping, double tolerance, int max_iterations) {
  propNode<double> inflow;
  double n = g.num_nodes();
  double change = 0.0;
  int round = 0;
  g.attachNodeProperty(rank = 1.0 / n);
  if (max_iterations > 0) {
    do {
      double dangling = 0.0;
      g.attachNodeProperty(inflow = 0.0);
      forall (v in g.nodes()) {
        int degree = g.count_outNbrs(v);
        if (degree == 0) {
          dangling += v.rank;
        } else {
          double share = v.rank / degree;
          forall (w in g.neighbors(v)) {
            w.inflow += share;
          }
        }
      }
      change = 0.0;
      forall (v in g.nodes()) {
        double next = (1.0 - damping) / n + damping * (v.inflow + dangling / n);
        change += abs(next - v.rank);
        v.rank = next;
      }
      round += 1;
    } while (change > tolerance && round < max_iterations);
  }
}
