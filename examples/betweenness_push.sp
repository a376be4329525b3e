// Betweenness centrality, as `betweenness.sp`, with the number of shortest paths pushed on to the next level.
function betweenness(Graph g, propNode<double> bc, SetN<g> sources) {
  g.attachNodeProperty(bc = 0.0);
  for (src in sources) {
    propNode<double> sigma;
    propNode<double> delta;
    g.attachNodeProperty(sigma = 0.0, delta = 0.0);
    src.sigma = 1.0;
    iterateInBFS (v in g.nodes() from src) {
      forall (w in g.neighbors(v)) {
        w.sigma += v.sigma;
      }
    }
    iterateInReverse (v != src) {
      for (w in g.neighbors(v)) {
        v.delta += v.sigma / w.sigma * (1.0 + w.delta);
      }
      v.bc += v.delta;
    }
  }
}
