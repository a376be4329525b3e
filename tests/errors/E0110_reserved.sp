function f(Graph g, node v, int x, int y) {
  int for = 3;
  forall (node in g.nodes()) {
    edge = 3;
  }
}
