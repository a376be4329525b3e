function f(Graph g, node v, int x, int y) {
  x = (x + y;
  for (int i = 0; i < x; i++ {
    y = y[3;
  }
  if (x > 3) {
    y = 1;
}
function h(Graph g) {
}
