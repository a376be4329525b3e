function f(Graph g, propNode<int> dist) {
  g.dist = INF;
}
