// As pull, but from the out-neighbors: widths of paths to the node that is called src.
function widest(Graph g, propNode<int> width, propEdge<int> weight, node src) {
  g.attachNodeProperty(width = 0);
  src.width = INF;
  bool more;
  do {
    more = False;
    forall (v in g.nodes()) {
      int b = v.width;
      for (u in g.neighbors(v)) {
        edge e = g.get_edge(v, u);
        b = max(b, min(u.width, e.weight));
      }
      if (b > v.width) {
        v.width = b;
        more = True;
      }
    }
  } while (more);
}
