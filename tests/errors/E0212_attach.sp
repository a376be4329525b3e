function f(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = -1, src = 0);
  src.level = 0;
}
