function f(Graph g, node v, int x, int y) {
  foral (v in g.nodes()) {
    flaot z = 3;
    whlie (x > 3)
      retrun x;
  }
}
