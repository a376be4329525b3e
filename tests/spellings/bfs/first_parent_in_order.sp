// while; one node after another; the frontier is a level; pull: stops at the first parent
function bfs(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = INF);
  src.level = 0;
  int depth = 0;
  bool found = True;
  while (found) {
    found = False;
    for (v in g.nodes()) {
      if (v.level == INF) {
        for (u in g.nodes_to(v)) {
          if (u.level == depth) {
            v.level = depth + 1;
            found = True;
            break;
          }
        }
      }
    }
    depth++;
  }
}
