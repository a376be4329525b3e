// while; the frontier is a level; pull: a local says whether a parent is there
function bfs(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = INF);
  src.level = 0;
  int depth = 0;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes()) {
      if (v.level == INF) {
        bool near = False;
        for (u in g.nodes_to(v)) {
          if (u.level == depth) { near = True; }
        }
        if (near) {
          v.level = depth + 1;
          more = True;
        }
      }
    }
    depth++;
  }
}
