// iterateInBFS and back; the sum over sources is a local, copied at the end; dependencies added after the way back
// names: bc=result
function bc(Graph g, propNode<double> result, SetN<g> sources) {
  propNode<double> total;
  g.attachNodeProperty(total = 0.0);
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
    iterateInReverse {
      for (w in g.neighbors(v)) {
        v.delta += v.sigma / w.sigma * (1.0 + w.delta);
      }
    }
    forall (v in g.nodes()) {
      if (v != s) {
        v.total += v.delta;
      }
    }
  }
  result = total;
}
