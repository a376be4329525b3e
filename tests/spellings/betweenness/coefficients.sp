// iterateInBFS and back; what a child offers is divided once, in a property; the product with sigma at the end
function bc(Graph g, propNode<double> bc, SetN<g> sources) {
  propNode<double> sigma;
  propNode<double> offer;
  g.attachNodeProperty(bc = 0.0);
  for (s in sources) {
    g.attachNodeProperty(sigma = 0.0, offer = 0.0);
    s.sigma = 1.0;
    iterateInBFS (v in g.nodes() from s) {
      for (w in g.neighbors(v)) {
        v.sigma = v.sigma + w.sigma;
      }
    }
    iterateInReverse (v != s) {
      double sum = 0.0;
      for (w in g.neighbors(v)) {
        sum += w.offer;
      }
      double delta = sum * v.sigma;
      v.offer = (1.0 + delta) / v.sigma;
      v.bc += delta;
    }
  }
}
