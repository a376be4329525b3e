// The published forward pass of betweenness.
function f(Graph g, propNode<double> sigma, node s) {
  g.attachNodeProperty(sigma = 0.0);
  s.sigma = 1.0;
  iterateInBFS (v in g.nodes() from s) {
    for (w in g.neighbors(v)) {
      v.sigma = v.sigma + w.sigma;
    }
  }
}
