// iterateInBFS there; back: each node pushes its share to its parents
function bc(Graph g, propNode<double> bc, SetN<g> sources) {
  g.attachNodeProperty(bc = 0.0);
  for (s in sources) {
    propNode<double> sigma;
    propNode<double> delta;
    g.attachNodeProperty(sigma = 0.0, delta = 0.0);
    s.sigma = 1.0;
    iterateInBFS (v in g.nodes() from s) {
      forall (w in g.neighbors(v)) {
        w.sigma += v.sigma;
      }
    }
    iterateInReverse (v != s) {
      v.bc += v.delta;
      double coefficient = (1.0 + v.delta) / v.sigma;
      forall (u in g.nodes_to(v)) {
        u.delta += u.sigma * coefficient;
      }
    }
  }
}
