// while (True) left by break; a helper sums what comes in, another what is stranded; ranks in a local property
// names: rank=result
function inflow(Graph g, propNode<double> p, node v) {
  double sum = 0.0;
  for (u in g.nodes_to(v)) {
    sum += u.p / g.count_outNbrs(u);
  }
  return sum;
}

function stranded(Graph g, propNode<double> p) {
  double sum = 0.0;
  forall (v in g.nodes()) {
    if (g.getOutDegree(v) == 0) {
      sum += v.p;
    }
  }
  return sum;
}

function ranks(Graph g, propNode<double> result, double damping, double tolerance, int max_iterations) {
  propNode<double> p;
  propNode<double> q;
  double n = g.num_nodes();
  g.attachNodeProperty(p = 1.0 / n);
  int k = 0;
  while (True) {
    if (k >= max_iterations) {
      break;
    }
    double each = (1.0 - damping) / n + damping * stranded(g, p) / n;
    double moved = 0.0;
    forall (v in g.nodes()) {
      v.q = each + damping * inflow(g, p, v);
      moved += abs(v.p - v.q);
    }
    p = q;
    k += 1;
    if (moved <= tolerance) {
      break;
    }
  }
  result = p;
}
