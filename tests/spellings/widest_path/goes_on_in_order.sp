// while; one arc after another; no frontier; continue in place of if; a temporary
function widest(Graph g, propNode<int> width, propEdge<int> weight, node src) {
  g.attachNodeProperty(width = 0);
  src.width = INF;
  bool more = True;
  while (more) {
    more = False;
    for (e in g.edges()) {
      node u = e.source;
      node v = e.destination;
      int w = min(u.width, e.weight);
      if (w <= v.width) continue;
      v.width = w;
      more = True;
    }
  }
}
