function f(Graph g) {
  int count = 0;
  forall (v in g.nodes().filter(True)) {
    count += g.count_outNbrs(v);
  }
  return count;
}
