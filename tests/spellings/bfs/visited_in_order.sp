// while; one node after another; a visited flag beside the level; push; a round's nodes are counted
function bfs(Graph g, propNode<int> level, node src) {
  propNode<bool> visited;
  g.attachNodeProperty(level = INF, visited = False);
  src.visited = True;
  src.level = 0;
  int depth = 0;
  int frontier = 1;
  while (frontier > 0) {
    frontier = 0;
    for (v in g.nodes()) {
      if (v.visited && v.level == depth) {
        for (w in g.neighbors(v)) {
          if (!w.visited) {
            w.visited = True;
            w.level = depth + 1;
            frontier++;
          }
        }
      }
    }
    depth++;
  }
}
