function f(Graph g, propNode<int> level, node src) {
  propNode<bool> visited;
  g.attachNodeProperty(level = -1, visited = False);
  src.level = 0;
  src.visited = True;
}
