function f(Graph g, propNode<int> dist, node src) {
  g.attachNodeProperty(dist = INF + 1);
  src.dist = 2147483647 + 1;
}
