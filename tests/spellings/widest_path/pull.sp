// do…while; pull: each node takes the best of its in-neighbors; a temporary; the own cell by if
// names: width=best
function widest(Graph g, propNode<int> best, propEdge<int> weight, node src) {
  g.attachNodeProperty(best = 0);
  src.best = INF;
  bool more;
  do {
    more = False;
    forall (v in g.nodes()) {
      int b = v.best;
      for (u in g.nodes_to(v)) {
        edge e = g.get_edge(u, v);
        b = max(b, min(u.best, e.weight));
      }
      if (b > v.best) {
        v.best = b;
        more = True;
      }
    }
  } while (more);
}
