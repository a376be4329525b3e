function f(Graph g, node v, int x, int y) {
  bool finished = False;
  fixedPoint (finished : !modified) {
    x = 1;
  }
}
