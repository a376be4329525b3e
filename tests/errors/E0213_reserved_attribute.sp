function f(Graph g, propEdge<int> id) {
  forall (e in g.edges()) {
    e.id = 0;
  }
}
