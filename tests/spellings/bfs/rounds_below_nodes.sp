// while; as many rounds as there are nodes at most; the frontier is a level; push; if on an unreached neighbor
// names: src=root
function bfs(Graph g, propNode<int> level, node root) {
  g.attachNodeProperty(level = INF);
  root.level = 0;
  int depth = 0;
  bool more = True;
  while (more && depth < g.num_nodes()) {
    more = False;
    forall (v in g.nodes().filter(level == depth)) {
      forall (w in g.neighbors(v)) {
        if (w.level == INF) {
          w.level = depth + 1;
          more = True;
        }
      }
    }
    depth++;
  }
}
