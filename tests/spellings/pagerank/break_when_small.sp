// counted loop with a break when little changed; pull; the change in a loop of its own
function pagerank(Graph g, propNode<double> rank, double damping, double tolerance, int max_iterations) {
  propNode<double> next;
  double n = g.num_nodes();
  g.attachNodeProperty(rank = 1.0 / n);
  for (int i = 0; i < max_iterations; i++) {
    double stranded = 0.0;
    forall (v in g.nodes().filter(g.count_outNbrs(v) == 0)) {
      stranded += v.rank;
    }
    double change = 0.0;
    forall (v in g.nodes()) {
      double inflow = 0.0;
      for (u in g.nodes_to(v)) {
        inflow += u.rank / g.count_outNbrs(u);
      }
      v.next = (1.0 - damping) / n + damping * (inflow + stranded / n);
      change += abs(v.next - v.rank);
    }
    rank = next;
    if (change <= tolerance) {
      break;
    }
  }
}
