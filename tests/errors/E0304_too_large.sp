function f(Graph g, propNode<int> dist) {
  int far = 3000000000;
  g.attachNodeProperty(dist = 99999999999999999999);
  return far;
}
