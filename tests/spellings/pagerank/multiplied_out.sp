// while; push with the damping in the share; the base is the start of the next ranks
function pagerank(Graph g, propNode<double> rank, double damping, double tolerance, int max_iterations) {
  propNode<double> next;
  double n = g.num_nodes();
  double teleport = (1.0 - damping) / n;
  double change = tolerance + 1.0;
  int turns = max_iterations;
  g.attachNodeProperty(rank = 1.0 / n);
  while (turns > 0 && change > tolerance) {
    turns--;
    double hanging = 0.0;
    forall (u in g.nodes().filter(g.count_outNbrs(u) == 0)) {
      hanging += u.rank;
    }
    double floor_rank = teleport + damping * hanging / n;
    g.attachNodeProperty(next = floor_rank);
    forall (u in g.nodes()) {
      forall (w in g.neighbors(u)) {
        w.next += damping * u.rank / g.count_outNbrs(u);
      }
    }
    change = 0.0;
    forall (u in g.nodes()) {
      change += abs(u.next - u.rank);
    }
    g.attachNodeProperty(rank = next);
  }
}
