// while; two flag properties, the second copied; push; if on an unreached neighbor; the parent is stored before the level
// names: parent=parent
function bfs(Graph g, propNode<int> level, propNode<int> parent, node src) {
  propNode<bool> here;
  propNode<bool> there;
  g.attachNodeProperty(level = INF, parent = -1, here = False, there = False);
  src.level = 0;
  src.here = True;
  int depth = 0;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(here)) {
      forall (w in g.neighbors(v)) {
        if (w.level == INF) {
          w.parent = v;
          w.level = depth + 1;
          w.there = True;
          more = True;
        }
      }
    }
    here = there;
    g.attachNodeProperty(there = False);
    depth++;
  }
}
