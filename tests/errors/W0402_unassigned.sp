function f(Graph g) {
  int count;
  forall (v in g.nodes()) {
    count += g.count_outNbrs(v);
  }
  return count;
}
