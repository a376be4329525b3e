function f(Graph g) {
  forall (e in g.edges()) {
    e.weight = 1;
    e.source = e.destination;
  }
}
