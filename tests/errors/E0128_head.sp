function f(Graph g, propNode<int> p) {
  forall v in g.nodes() {
    v.p = 1;
  }
  for (node v : g.nodes()) {
    v.p = 2;
  }
  forall (u, w in g.edges()) {
    u.p = 3;
  }
  forall (v : g.nodes()):
    v.p = 4;
  return p, g;
}
