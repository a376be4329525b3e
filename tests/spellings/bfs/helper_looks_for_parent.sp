// do … while; a helper says whether a node has a parent in the last level; pull; levels count from 1 and are put right
// names: level=hops src=root
function has_parent(Graph g, propNode<int> at, node v, int wanted) {
  bool found = False;
  for (u in g.nodes_to(v)) {
    if (u.at == wanted) {
      found = True;
    }
  }
  return found;
}

function bfs(Graph g, propNode<int> hops, node root) {
  propNode<int> at;
  g.attachNodeProperty(at = 0);
  root.at = 1;
  int now = 1;
  bool grown;
  do {
    grown = False;
    forall (v in g.nodes()) {
      if (v.at == 0 && has_parent(g, at, v, now)) {
        v.at = now + 1;
        grown = True;
      }
    }
    now++;
  } while (grown);
  forall (v in g.nodes()) {
    v.hops = v.at == 0 ? INF : v.at - 1;
  }
}
