// while; the frontier is a level; pull by a forall: any neighbor before that has the level is the parent
// names: parent=parent
function bfs(Graph g, propNode<int> level, propNode<node> parent, node src) {
  g.attachNodeProperty(level = INF, parent = -1);
  src.level = 0;
  int depth = 0;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(level == INF)) {
      forall (u in g.nodes_to(v)) {
        if (u.level == depth) {
          v.level = depth + 1;
          v.parent = u;
          more = True;
        }
      }
    }
    depth++;
  }
}
