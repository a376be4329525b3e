Dynamic f(Graph g, SetN<g> changed, propNode<int> p, int batchSize) {
  Batch (changed : batchSize) {
    g.attachNodeProperty(p = 0);
  }
}
