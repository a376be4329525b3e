function f(Graph g, node v, int x, int y) {
  if (x > 1) x = 1; y = 2;
  else x = 3;
  iterateInReverse (v != w) {
    y = 3;
  }
}
