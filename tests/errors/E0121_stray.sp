function f(Graph g, node v, int x, int y) {
  if (x > 3);
  ;
  forall (w in g.nodes()) { };
}
