function f(Graph g, updates<g> changes, propNode<int> x) {
  Batch(changes : 10) {
    g.attachNodeProperty(x = 1);
  }
}
