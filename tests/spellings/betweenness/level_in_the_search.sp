// iterateInBFS that notes levels; sigma and delta by counted loops over the levels; order: bc is added last
function bc(Graph g, propNode<double> bc, SetN<g> sources) {
  g.attachNodeProperty(bc = 0.0);
  for (s in sources) {
    propNode<int> level;
    propNode<double> sigma;
    propNode<double> delta;
    int height = 0;
    g.attachNodeProperty(level = -1, sigma = 0.0, delta = 0.0);
    s.level = 0;
    s.sigma = 1.0;
    iterateInBFS (v in g.nodes() from s) {
      forall (w in g.neighbors(v)) {
        w.level = v.level + 1;
      }
      height = Max(height, v.level);
    }
    for (int k = 0; k < height; k++) {
      forall (v in g.nodes().filter(level == k)) {
        forall (w in g.neighbors(v).filter(level == k + 1)) {
          w.sigma += v.sigma;
        }
      }
    }
    for (int k = height - 1; k >= 0; k--) {
      forall (v in g.nodes().filter(level == k)) {
        for (w in g.neighbors(v).filter(level == k + 1)) {
          v.delta += v.sigma / w.sigma * (1.0 + w.delta);
        }
      }
    }
    s.delta = 0.0;
    forall (v in g.nodes()) {
      v.bc += v.delta;
    }
  }
}
