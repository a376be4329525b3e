// while; two flag properties, the second copied; push; a node without a parent takes the one that comes, and its level
// names: parent=tree
function bfs(Graph g, propNode<int> level, propNode<node> tree, node src) {
  propNode<bool> here;
  propNode<bool> there;
  g.attachNodeProperty(level = INF, tree = -1, here = False, there = False);
  src.level = 0;
  src.tree = src;
  src.here = True;
  int depth = 0;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(here)) {
      forall (w in g.neighbors(v)) {
        if (w.tree == -1) {
          w.tree = v;
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
  src.tree = -1;
}
