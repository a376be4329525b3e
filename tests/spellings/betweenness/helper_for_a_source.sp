// iterateInBFS and back in a helper function called for each source; a helper for the share
function share(double above, double below, double dependency) {
  return above / below * (1.0 + dependency);
}
function add_source(Graph g, propNode<double> bc, node s) {
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
      v.delta = v.delta + share(v.sigma, w.sigma, w.delta);
    }
    v.bc = v.bc + v.delta;
  }
}
function main(Graph g, propNode<double> bc, SetN<g> sources) {
  g.attachNodeProperty(bc = 0.0);
  for (s in sources) {
    add_source(g, bc, s);
  }
}
