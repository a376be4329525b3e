// counted loop with a flag in its condition; push from nodes with out-arcs only; the rest by filter; a swap by three copies
// names: rank=weight_of
function pr(Graph g, propNode<double> weight_of, double damping, double tolerance, int max_iterations) {
  propNode<double> gathered;
  propNode<double> kept;
  double n = g.num_nodes();
  forall (v in g.nodes()) { v.weight_of = 1.0 / n; }
  bool settled = False;
  for (int i = 0; i < max_iterations && !settled; i++) {
    kept = weight_of;
    g.attachNodeProperty(gathered = 0.0);
    forall (v in g.nodes().filter(g.count_outNbrs(v) != 0)) {
      double part = v.kept / g.count_outNbrs(v);
      forall (w in g.neighbors(v)) {
        w.gathered += part;
      }
    }
    double unspent = 0.0;
    forall (v in g.nodes().filter(g.count_outNbrs(v) == 0)) {
      unspent += v.kept;
    }
    double total = 0.0;
    forall (v in g.nodes()) {
      v.weight_of = (1.0 - damping) / n + damping * (v.gathered + unspent / n);
      total += abs(v.weight_of - v.kept);
    }
    if (total <= tolerance) settled = True;
  }
}
