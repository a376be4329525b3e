function f(Graph g, propNode<int> dist) {
  int far = 0;
  forall (v in g.nodes()) {
    if (dist == INF) {
      far += 1;
    }
  }
  return far;
}
