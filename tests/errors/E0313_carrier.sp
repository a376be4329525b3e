function f(Graph g, propNode<int> dist, propEdge<int> load) {
  forall (e in g.edges()) {
    e.load = e.dist;
  }
}
