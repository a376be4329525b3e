function f(Graph g, node v, int x, int y) {
  x == 3;
  x + y;
}
