// while; sequential loops all through; if in place of Min; a flag that is cleared as it is taken
// names: src=a
function paths(Graph g, propNode<int> dist, propEdge<int> weight, node a) {
  propNode<bool> waiting;
  g.attachNodeProperty(dist = INF, waiting = False);
  a.dist = 0;
  a.waiting = True;
  bool some = True;
  while (some) {
    some = False;
    for (v in g.nodes()) {
      if (v.waiting) {
        v.waiting = False;
        for (w in g.neighbors(v)) {
          edge e = g.get_edge(v, w);
          int offer = v.dist + e.weight;
          if (offer < w.dist) {
            w.dist = offer;
            w.waiting = True;
            some = True;
          }
        }
      }
    }
  }
}
