// do…while; one node after another; pull into a temporary; the own cell by if
function widest(Graph g, propNode<int> width, propEdge<int> weight, node src) {
  g.attachNodeProperty(width = 0);
  src.width = INF;
  bool changed = False;
  do {
    changed = False;
    for (v in g.nodes()) {
      int best = v.width;
      for (u in g.nodes_to(v)) {
        edge e = g.get_edge(u, v);
        best = max(best, min(u.width, e.weight));
      }
      if (best > v.width) {
        v.width = best;
        changed = True;
      }
    }
  } while (changed);
}
