// while; pull: each node takes the least level before it plus one; a temporary; no frontier; the own cell by if
// names: level=d
function bfs(Graph g, propNode<int> d, node src) {
  g.attachNodeProperty(d = INF);
  src.d = 0;
  bool changed = True;
  while (changed == True) {
    changed = False;
    forall (v in g.nodes()) {
      int best = INF;
      for (u in g.nodes_to(v)) {
        best = min(best, u.d);
      }
      if (best != INF && best + 1 < v.d) {
        v.d = best + 1;
        changed = True;
      }
    }
  }
}
