// for with a counter and break; what flows out of a node as a property; pushed by sequential rows; change by a third loop
// names: rank=score
function surf(Graph g, propNode<double> score, double damping, double tolerance, int max_iterations) {
  propNode<double> flow;
  propNode<double> got;
  int n = g.num_nodes();
  forall (v in g.nodes()) {
    v.score = 1.0 / n;
  }
  for (int i = 0; i < max_iterations; i++) {
    double leak = 0.0;
    forall (v in g.nodes()) {
      int out = g.count_outNbrs(v);
      v.got = 0.0;
      if (out > 0) {
        v.flow = v.score / out;
      } else {
        v.flow = 0.0;
        leak += v.score;
      }
    }
    forall (v in g.nodes()) {
      forall (w in g.neighbors(v)) {
        w.got += v.flow;
      }
    }
    double moved = 0.0;
    forall (v in g.nodes()) {
      double before = v.score;
      v.score = (1.0 - damping) / n + damping * (v.got + leak / n);
      moved += abs(before - v.score);
    }
    if (moved <= tolerance) {
      break;
    }
  }
}
