// while; pull from nodes that widened: locals keep the best width and its parent, stored where better; two flags
// names: width=wide parent=via
function widest(Graph g, propNode<int> wide, propNode<node> via, propEdge<int> weight, node src) {
  propNode<bool> now;
  propNode<bool> then;
  g.attachNodeProperty(wide = 0, via = -1, now = False, then = False);
  src.wide = INF;
  src.now = True;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes()) {
      int best = v.wide;
      node by = v.via;
      for (u in g.nodes_to(v)) {
        if (u.now) {
          edge e = g.get_edge(u, v);
          int through = min(u.wide, e.weight);
          if (through > best) {
            best = through;
            by = u;
          }
        }
      }
      if (best > v.wide) {
        v.wide = best;
        v.via = by;
        v.then = True;
        more = True;
      }
    }
    now = then;
    g.attachNodeProperty(then = False);
  }
}
