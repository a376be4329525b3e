function f(Graph g, propNode<int> dist) {
  int far = 0;
  for (int i = 0; i < g.num_nodes(); i++) {
    far = max(far, i.dist);
  }
  return far;
}
