// while (changed); no frontier: all nodes push each round; if in place of Max; the lesser by if, too
function widest(Graph g, propNode<int> width, propEdge<int> weight, node src) {
  g.attachNodeProperty(width = 0);
  src.width = INF;
  bool changed = True;
  while (changed) {
    changed = False;
    forall (u in g.nodes()) {
      forall (v in g.neighbors(u)) {
        edge e = g.get_edge(u, v);
        int w = u.width;
        if (e.weight < w) {
          w = e.weight;
        }
        if (w > v.width) {
          v.width = w;
          changed = True;
        }
      }
    }
  }
}
