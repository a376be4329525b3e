function f(Graph g, propNode<int> dist, propNode<node> parent, node src) {
  g.attachNodeProperty(dist = False, parent = False);
  src.dist = 0;
  bool seen = src.dist;
  seen = 1;
  src.parent = 2.5;
  return seen;
}
