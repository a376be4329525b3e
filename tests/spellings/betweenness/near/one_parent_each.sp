// As from_parents, but a node counts its parents and not their paths: shares fall level by level.
function bc(Graph g, propNode<double> bc, SetN<g> sources) {
  g.attachNodeProperty(bc = 0.0);
  for (s in sources) {
    propNode<double> sigma;
    propNode<double> delta;
    g.attachNodeProperty(sigma = 0.0, delta = 0.0);
    s.sigma = 1.0;
    iterateInBFS (v in g.nodes() from s) {
      for (u in g.nodes_to(v)) {
        v.sigma += 1.0;
      }
    }
    iterateInReverse (v != s) {
      for (w in g.neighbors(v)) {
        v.delta += (1.0 + w.delta) / w.sigma;
      }
      v.bc += v.delta;
    }
  }
}
