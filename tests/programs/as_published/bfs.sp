// Levels of a search, one level a round, the source an int and the rounds counted in a condition.
Static search(Graph g, propNode<int> level, int root) {
  g.attachNodeProperty(level = INF);
  root.level = 0;
  int depth = 0, found = 1;
  while (found) {
    found = 0;
    forall (v in g.nodes().filter(level == depth)) {
      for (w in g.neighbors(v)) {
        if (w.level == INF) {
          w.level = depth + 1;
          found = 1;
        }
      }
    }
    depth++;
  }
  return depth - 1;
}
