// iterateInBFS with a temporary for sigma; back by parents that gather; the sum is written in place of delta
function bc(Graph g, propNode<double> bc, SetN<g> sources) {
  forall (v in g.nodes()) { v.bc = 0.0; }
  for (s in sources) {
    propNode<double> n_paths;
    propNode<double> one_plus;
    g.attachNodeProperty(n_paths = 0.0, one_plus = 1.0);
    s.n_paths = 1.0;
    iterateInBFS (v in g.nodes() from s) {
      double mine = v.n_paths;
      forall (w in g.neighbors(v)) {
        w.n_paths += mine;
      }
    }
    iterateInReverse (v != s) {
      for (w in g.neighbors(v)) {
        v.one_plus += v.n_paths / w.n_paths * w.one_plus;
      }
      v.bc += v.one_plus - 1.0;
    }
  }
}
