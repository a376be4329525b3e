function f(Graph g) {
  int count = 0;
  forall (v in g) {
    count += g.count_outNbrs(v);
  }
  return count;
}
