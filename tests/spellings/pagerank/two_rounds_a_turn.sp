// while; buffers exchanged by a scalar that says which is the newer; pull; the last is taken at the end
function pagerank(Graph g, propNode<double> rank, double damping, double tolerance, int max_iterations) {
  propNode<double> a;
  propNode<double> b;
  double n = g.num_nodes();
  bool in_a = True;
  g.attachNodeProperty(a = 1.0 / n, b = 0.0);
  double change = INF;
  int i = 0;
  while (change > tolerance && i < max_iterations) {
    double stranded = 0.0;
    change = 0.0;
    if (in_a) {
      forall (v in g.nodes().filter(g.count_outNbrs(v) == 0)) {
        stranded += v.a;
      }
      forall (v in g.nodes()) {
        double s = 0.0;
        for (u in g.nodes_to(v)) {
          s += u.a / g.count_outNbrs(u);
        }
        v.b = (1.0 - damping) / n + damping * (s + stranded / n);
        change += abs(v.b - v.a);
      }
    } else {
      forall (v in g.nodes().filter(g.count_outNbrs(v) == 0)) {
        stranded += v.b;
      }
      forall (v in g.nodes()) {
        double s = 0.0;
        for (u in g.nodes_to(v)) {
          s += u.b / g.count_outNbrs(u);
        }
        v.a = (1.0 - damping) / n + damping * (s + stranded / n);
        change += abs(v.a - v.b);
      }
    }
    in_a = !in_a;
    i++;
  }
  forall (v in g.nodes()) {
    v.rank = in_a ? v.a : v.b;
  }
}
