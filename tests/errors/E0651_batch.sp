function apply(Graph g, updates<g> changes) {
  g.updateCSRAdd(changes);
}
Dynamic f(Graph g, updates<g> changes, propNode<int> x) {
  Batch(changes : 10) {
    apply(g, changes);
    g.attachNodeProperty(x = 1);
  }
}
