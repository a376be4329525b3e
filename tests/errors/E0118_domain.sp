function f(Graph g, node v, int x, int y) {
  forall (w in x + 1) { }
  for (w in (x + 1).filter(w > 3)) { }
  iterateInBFS (w in g.neighbors(v) from v) { }
}
