function f(Graph g, node v, int x, int y) {
  x = x $ y;
  print('x');
}
