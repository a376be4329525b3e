function f(Graph g, node v, int x, int y) {
  <x, y> = <Min(x, y), x < y>;
  <x, y> = <Min(x, y), x > y>;
  <x, y> = <Min(x, y), (x > y)>;
}
