// for each source; iterateInBFS and iterateInReverse; sums spelled out; sigma pulled, delta pulled from children
function Compute_BC(Graph g, propNode<double> bc, SetN<g> sources) {
  g.attachNodeProperty(bc = 0);
  for (src in sources) {
    propNode<double> sigma;
    propNode<double> delta;
    g.attachNodeProperty(delta = 0, sigma = 0);
    src.sigma = 1;
    iterateInBFS (v in g.nodes() from src) {
      for (w in g.neighbors(v)) {
        w.sigma = w.sigma + v.sigma;
      }
    }
    iterateInReverse (v != src) {
      for (w in g.neighbors(v)) {
        v.delta = v.delta + (v.sigma / w.sigma) * (1 + w.delta);
      }
      v.bc = v.bc + v.delta;
    }
  }
}
