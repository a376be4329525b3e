// while; one node after another; no frontier; push; the lesser of two by ?:; a guard
function widest(Graph g, propNode<int> width, propEdge<int> weight, node src) {
  g.attachNodeProperty(width = 0);
  src.width = INF;
  bool more = True;
  while (more) {
    more = False;
    for (v in g.nodes()) {
      if (v.width > 0) {
        for (w in g.neighbors(v)) {
          edge e = g.get_edge(v, w);
          int cap = v.width < e.weight ? v.width : e.weight;
          if (cap > w.width) {
            w.width = cap;
            more = True;
          }
        }
      }
    }
  }
}
