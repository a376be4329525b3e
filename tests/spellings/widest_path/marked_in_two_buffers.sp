// while; two flag properties, copied; pull from flagged in-neighbors into a temporary
function widest(Graph g, propNode<int> width, propEdge<int> weight, node src) {
  propNode<bool> now;
  propNode<bool> then;
  g.attachNodeProperty(width = 0, now = False, then = False);
  src.width = INF;
  src.now = True;
  int active = 1;
  while (active > 0) {
    active = 0;
    forall (v in g.nodes()) {
      int best = v.width;
      for (u in g.nodes_to(v)) {
        if (u.now) {
          edge e = g.get_edge(u, v);
          int cand = min(e.weight, u.width);
          if (cand > best) { best = cand; }
        }
      }
      if (best > v.width) {
        v.width = best;
        v.then = True;
        active++;
      }
    }
    now = then;
    g.attachNodeProperty(then = False);
  }
}
