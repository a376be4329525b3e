function f(Graph g, node v, int x, int y) {
  x = 1.2.3 + 12abc;
  float z = 1f;
  double w = 1e999;
}
