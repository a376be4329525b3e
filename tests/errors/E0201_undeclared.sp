function total(Graph g) {
  int count = 0;
  forall (v in g.nodes()) {
    cuont += 1;
  }
  return count;
}
