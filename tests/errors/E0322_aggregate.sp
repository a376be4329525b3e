function f(Graph g, propNode<int> dist) {
  long total = 0;
  forall (v in g.nodes()) {
    total += Sum(v.dist);
  }
  return total;
}
