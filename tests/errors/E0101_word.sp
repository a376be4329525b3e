function f(Graph g, node v, int x, int y) {
  x = f(1 2);
  if x > 3 {
    y = ;
  }
  y = x * 2;
}
