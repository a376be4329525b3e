// In emitted host code the neighbors' end, and the in-neighbors, were those of the node that the body had put in `v`.
function entry(Graph g, propNode<int> a, node src) {
  node v = src;
  for (w in g.neighbors(v)) {
    v = w;
    forall (x in g.nodes()) {
      x.a += w + 1;
    }
  }
  v = src;
  for (w in g.inOutNbrs(v)) {
    v = w;
    forall (x in g.nodes()) {
      x.a += 2 * w + 1;
    }
  }
  forall (x in g.nodes()) {
    node y = x;
    for (w in g.inOutNbrs(y)) {
      y = w;
      edge e = g.get_edge(x, w);
      if (e == -1) {
        x.a += y;
      }
    }
  }
}
