function f(Graph g, node v, int x, int y) {
  y = x++;
  y = x--y;
  y = --5;
}
