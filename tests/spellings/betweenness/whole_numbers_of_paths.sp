// iterateInBFS and back; sigma is a long and is converted where it is divided; temporaries for both counts
function bc(Graph g, propNode<double> bc, SetN<g> sources) {
  g.attachNodeProperty(bc = 0.0);
  for (s in sources) {
    propNode<long> sigma;
    propNode<double> delta;
    g.attachNodeProperty(sigma = 0, delta = 0.0);
    s.sigma = 1;
    iterateInBFS (v in g.nodes() from s) {
      forall (w in g.neighbors(v)) {
        w.sigma += v.sigma;
      }
    }
    iterateInReverse (v != s) {
      double mine = v.sigma;
      for (w in g.neighbors(v)) {
        double theirs = w.sigma;
        v.delta += mine / theirs * (1.0 + w.delta);
      }
      v.bc += v.delta;
    }
  }
}
