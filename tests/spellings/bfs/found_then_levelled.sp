// while; those at the last level flag their neighbors; these get the level in a loop of their own; push; filters
// names: level=depth_of src=start
function levels(Graph g, propNode<int> depth_of, node start) {
  propNode<bool> found;
  g.attachNodeProperty(depth_of = INF);
  start.depth_of = 0;
  int depth = 0;
  bool more = True;
  while (more) {
    more = False;
    g.attachNodeProperty(found = False);
    forall (v in g.nodes().filter(depth_of == depth)) {
      forall (w in g.neighbors(v).filter(depth_of == INF)) {
        w.found = True;
      }
    }
    forall (v in g.nodes().filter(found)) {
      v.depth_of = depth + 1;
      more = True;
    }
    depth++;
  }
}
