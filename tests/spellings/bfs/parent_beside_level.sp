// do…while; the frontier is a level; push; if on an unreached neighbor; the parent is stored beside the level
// names: parent=parent
function bfs(Graph g, propNode<int> level, propNode<node> parent, node src) {
  g.attachNodeProperty(level = INF, parent = -1);
  src.level = 0;
  int depth = 0;
  bool more = True;
  do {
    more = False;
    forall (v in g.nodes().filter(level == depth)) {
      forall (w in g.neighbors(v)) {
        if (w.level == INF) {
          w.level = depth + 1;
          w.parent = v;
          more = True;
        }
      }
    }
    depth++;
  } while (more);
}
