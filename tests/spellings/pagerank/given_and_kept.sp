// counted loop with break; a node gives away what it has by push, then takes its part; difference in the same loop
// names: rank=pr max_iterations=most
function pagerank(Graph g, propNode<double> pr, double damping, double tolerance, int most) {
  propNode<double> got;
  propNode<double> out;
  double each = 1.0 / g.num_nodes();
  forall (v in g.nodes()) {
    v.pr = each;
    v.out = g.count_outNbrs(v);
  }
  for (int turn = 0; turn < most; turn++) {
    g.attachNodeProperty(got = 0.0);
    double lost = 0.0;
    forall (v in g.nodes()) {
      if (v.out == 0.0) {
        lost += v.pr;
      } else {
        double part = v.pr / v.out;
        forall (w in g.neighbors(v)) {
          w.got += part;
        }
      }
    }
    double moved = 0.0;
    forall (v in g.nodes()) {
      double fresh = (1.0 - damping) * each + damping * (v.got + lost * each);
      moved += fresh > v.pr ? fresh - v.pr : v.pr - fresh;
      v.pr = fresh;
    }
    if (moved <= tolerance) {
      break;
    }
  }
}
