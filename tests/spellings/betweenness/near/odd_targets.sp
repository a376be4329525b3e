// As in_bfs_push, but only nodes with odd numbers are targets.
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
      for (w in g.neighbors(v)) {
        v.delta += v.sigma / w.sigma * (w % 2 + w.delta);
      }
      v.bc += v.delta;
    }
  }
}
