function f(Graph g, node v, int x, int y) {
  if (x = y) {
    x = y = 3;
  }
}
