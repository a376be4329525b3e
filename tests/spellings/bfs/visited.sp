// do…while; a visited flag beside the level; two flag properties; push; if on the flag; the guard skips loops
function bfs(Graph g, propNode<int> level, node src) {
  propNode<bool> visited;
  propNode<bool> here;
  propNode<bool> there;
  g.attachNodeProperty(level = INF, visited = False, here = False, there = False);
  src.level = 0;
  src.visited = True;
  src.here = True;
  int depth = 0;
  bool more;
  do {
    more = False;
    depth++;
    forall (v in g.nodes().filter(here == True)) {
      forall (w in g.neighbors(v).filter(visited == False)) {
        if (w != v) {
          w.there = True;
        }
      }
    }
    forall (v in g.nodes()) {
      v.here = v.there;
      if (v.there) {
        v.visited = True;
        v.level = depth;
        more = True;
      }
      v.there = False;
    }
  } while (more);
}
