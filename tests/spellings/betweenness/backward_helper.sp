// helpers for there and back; iterateInBFS; the result in a property of the caller
function accumulate(Graph g, propNode<double> bc, node s) {
  propNode<double> sigma;
  propNode<double> delta;
  g.attachNodeProperty(sigma = 0.0, delta = 0.0);
  s.sigma = 1.0;
  iterateInBFS (v in g.nodes() from s) {
    for (u in g.nodes_to(v)) {
      v.sigma += u.sigma;
    }
  }
  iterateInReverse (v != s) {
    double sum = 0.0;
    for (w in g.neighbors(v)) {
      sum += (1.0 + w.delta) / w.sigma;
    }
    v.delta = v.sigma * sum;
    v.bc += v.delta;
  }
}
function bc(Graph g, propNode<double> bc, SetN<g> sources) {
  forall (v in g.nodes()) {
    v.bc = 0.0;
  }
  for (s in sources) {
    accumulate(g, bc, s);
  }
}
