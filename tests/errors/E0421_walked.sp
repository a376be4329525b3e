Dynamic f(Graph g, propNode<int> count, updates<g> changes, node a) {
  Batch (changes : 10) {
    for (w in g.neighbors(a)) {
      g.updateCSRAdd(changes);
      w.count = 1;
    }
  }
}
