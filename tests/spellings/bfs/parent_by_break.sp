// while; the frontier is a level; pull: the first in-neighbor in the last level becomes the parent, and ends the row
// names: parent=up
function bfs(Graph g, propNode<int> level, propNode<node> up, node src) {
  g.attachNodeProperty(level = INF, up = -1);
  src.level = 0;
  int depth = 0;
  bool grew = True;
  while (grew) {
    grew = False;
    forall (v in g.nodes().filter(level == INF)) {
      for (u in g.nodes_to(v)) {
        if (u.level == depth) {
          v.level = depth + 1;
          v.up = u;
          grew = True;
          break;
        }
      }
    }
    depth++;
  }
}
