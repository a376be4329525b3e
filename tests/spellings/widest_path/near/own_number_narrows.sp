// As pull, but a node lets through no more than its number plus two.
function widest(Graph g, propNode<int> width, propEdge<int> weight, node src) {
  g.attachNodeProperty(width = 0);
  src.width = INF;
  bool more;
  do {
    more = False;
    forall (v in g.nodes().filter(v != src)) {
      int b = v.width;
      for (u in g.nodes_to(v)) {
        edge e = g.get_edge(u, v);
        b = max(b, min(min(u.width, e.weight), v + 2));
      }
      if (b > v.width) {
        v.width = b;
        more = True;
      }
    }
  } while (more);
}
