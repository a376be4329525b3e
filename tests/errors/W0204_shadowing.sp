function f(Graph g, propNode<int> degree) {
  int total = 0;
  forall (v in g.nodes()) {
    int total = g.count_outNbrs(v);
    v.degree = total;
  }
  return total;
}
