function f(Graph g, propNode<int> p) {
  g.attachNodeProperty(p = 0);
  break;
}
