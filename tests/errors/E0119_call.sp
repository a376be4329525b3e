function f(Graph g, node v, int x, int y) {
  x[1](2);
  y = 3(x);
}
