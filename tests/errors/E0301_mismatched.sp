function f(Graph g, propNode<int> dist, node src) {
  g.attachNodeProperty(dist = False);
  src.dist = 0;
  bool seen = src.dist;
  return seen;
}
