// while; helper functions for the formula, for the stranded mass and for a round, which returns the change; pull
function formula(double inflow, double damping, double n) {
  return (1.0 - damping) / n + damping * inflow;
}
function stranded_mass(Graph g, propNode<double> rank) {
  double sum = 0.0;
  forall (v in g.nodes().filter(g.count_outNbrs(v) == 0)) {
    sum += v.rank;
  }
  return sum;
}
function one_round(Graph g, propNode<double> rank, propNode<double> next, double damping) {
  double n = g.num_nodes();
  double stranded = stranded_mass(g, rank);
  double change = 0.0;
  forall (v in g.nodes()) {
    double inflow = stranded / n;
    for (u in g.nodes_to(v)) {
      inflow += u.rank / g.count_outNbrs(u);
    }
    v.next = formula(inflow, damping, n);
    change += abs(v.rank - v.next);
  }
  return change;
}
function main(Graph g, propNode<double> rank, double damping, double tolerance, int max_iterations) {
  propNode<double> next;
  double nodes = g.num_nodes();
  g.attachNodeProperty(rank = 1.0 / nodes);
  int done = 0;
  bool enough = max_iterations == 0;
  while (!enough) {
    double change = one_round(g, rank, next, damping);
    rank = next;
    done++;
    enough = change <= tolerance || done >= max_iterations;
  }
}
