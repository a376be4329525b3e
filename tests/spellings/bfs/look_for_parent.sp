// do…while; the frontier is a level; pull: each unreached node looks for a parent and stops at the first
// names: level=lev src=from_node
function bfs(Graph g, propNode<int> lev, node from_node) {
  g.attachNodeProperty(lev = INF);
  from_node.lev = 0;
  int round = 0;
  bool found;
  do {
    found = False;
    forall (v in g.nodes().filter(lev == INF)) {
      for (p in g.nodes_to(v)) {
        if (p.lev == round) {
          v.lev = round + 1;
          found = True;
          break;
        }
      }
    }
    round++;
  } while (found);
}
