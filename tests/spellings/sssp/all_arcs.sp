// while (changed); no frontier: all nodes push each round; if in place of Min; a scalar flag
// names: dist=length
function bellman_ford(Graph g, propNode<int> length, propEdge<int> weight, node src) {
  g.attachNodeProperty(length = INF);
  src.length = 0;
  bool changed = True;
  while (changed) {
    changed = False;
    forall (u in g.nodes()) {
      forall (v in g.neighbors(u)) {
        edge e = g.get_edge(u, v);
        if (u.length != INF && u.length + e.weight < v.length) {
          v.length = u.length + e.weight;
          changed = True;
        }
      }
    }
  }
}
