function f(Graph g, node v, int x, int y) {
  x = 1
  y = 2;
  int z = 3 int w = 4;
  return x
}
