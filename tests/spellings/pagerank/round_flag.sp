// fixedPoint on a flag property of the nodes that still move, with the sum of changes deciding; pull
function pagerank(Graph g, propNode<double> rank, double damping, double tolerance, int max_iterations) {
  propNode<double> next;
  propNode<bool> go_on;
  double n = g.num_nodes();
  int i = 0;
  g.attachNodeProperty(rank = 1.0 / n, next = 0.0, go_on = False);
  fixedPoint until (still : !go_on) {
    double change = 0.0;
    double stranded = 0.0;
    if (i < max_iterations) {
      forall (v in g.nodes().filter(g.count_outNbrs(v) == 0)) {
        stranded += v.rank;
      }
      forall (v in g.nodes()) {
        double inflow = 0.0;
        for (u in g.nodes_to(v)) {
          inflow += u.rank / g.count_outNbrs(u);
        }
        v.next = (1.0 - damping) / n + damping * (inflow + stranded / n);
        change += abs(v.next - v.rank);
      }
      rank = next;
      i++;
    }
    bool again = change > tolerance && i < max_iterations;
    g.attachNodeProperty(go_on = again);
  }
}
