function f(Graph g, propNode<node> parent) {
  g.attachNodeProperty(parent = INF);
}
