function f(Graph g, node v, int x, int y) {
  f() = 3;
  x + y = 1;
  3++;
  <f(), x> = <Min(x, y), 1>;
}
