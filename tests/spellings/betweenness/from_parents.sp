// iterateInBFS and back; sigma pulled from nodes_to; delta pushed to the parents; the guard as an if in the body
function bc(Graph g, propNode<double> bc, SetN<g> sources) {
  g.attachNodeProperty(bc = 0.0);
  for (s in sources) {
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
      double each = (1.0 + v.delta) / v.sigma;
      for (u in g.nodes_to(v)) {
        u.delta += u.sigma * each;
      }
      v.bc += v.delta;
    }
  }
}
