// Brandes' method from a set of sources; the nodes of a search are counted on the way.
Static brandes(Graph g, propNode<double> BC, SetN<g> sourceSet) {
  g.attachNodeProperty(BC = 0);
  for (src in sourceSet) {
    propNode<double> sigma, delta;
    g.attachNodeProperty(delta = 0);
    g.attachNodeProperty(sigma = 0);
    int root = src;
    root.sigma = 1;
    iterateInBFS (v in g.nodes() from root) {
      for (w in g.neighbors(v)) {
        v.sigma = v.sigma + w.sigma;
      }
    }
    iterateInReverse (v != root) {
      for (w in g.neighbors(v)) {
        v.delta = v.delta + (v.sigma / w.sigma) * (1 + w.delta);
      }
      v.BC = v.BC + v.delta;
    }
  }
}
