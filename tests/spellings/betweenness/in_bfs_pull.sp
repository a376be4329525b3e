// iterateInBFS and back; sigma pulled (the published form); delta pulled from children; own cells by x = x + e
// names: bc=BC sources=sourceSet
function compute_BC(Graph g, propNode<double> BC, SetN<g> sourceSet) {
  g.attachNodeProperty(BC = 0);
  for (src in sourceSet) {
    propNode<double> sigma;
    propNode<double> delta;
    g.attachNodeProperty(delta = 0);
    g.attachNodeProperty(sigma = 0);
    src.sigma = 1;
    iterateInBFS (v in g.nodes() from src) {
      for (w in g.neighbors(v)) {
        v.sigma = v.sigma + w.sigma;
      }
    }
    iterateInReverse (v != src) {
      for (w in g.neighbors(v)) {
        v.delta = v.delta + (v.sigma / w.sigma) * (1 + w.delta);
      }
      v.BC = v.BC + v.delta;
    }
  }
}
