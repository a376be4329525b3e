// As in_bfs_pull, but each share is halved as it is taken in, not at the end: far targets count less.
function bc(Graph g, propNode<double> bc, SetN<g> sources) {
  g.attachNodeProperty(bc = 0.0);
  for (s in sources) {
    propNode<double> sigma;
    propNode<double> delta;
    g.attachNodeProperty(sigma = 0.0, delta = 0.0);
    s.sigma = 1.0;
    iterateInBFS (v in g.nodes() from s) {
      for (w in g.neighbors(v)) {
        v.sigma = v.sigma + w.sigma;
      }
    }
    iterateInReverse (v != s) {
      for (w in g.neighbors(v)) {
        v.delta = v.delta + 0.5 * v.sigma / w.sigma * (1.0 + w.delta);
      }
      v.bc = v.bc + v.delta;
    }
  }
}
