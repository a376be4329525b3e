function f(Graph g, propNode<bool> changed, propNode<double> x) {
  long count = 0;
  double rest = 0.0;
  forall (v in g.nodes()) {
    count += v.changed;
    rest += v.x % 2;
  }
  return count + rest;
}
