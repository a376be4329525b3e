function norm(Graph g, propNode<double> x) {
  double sum = 0.0;
  forall (v in g.nodes()) {
    sum += v.x * v.x;
  }
  return sqroot(sum);
}
