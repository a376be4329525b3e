// while; pull; the own cells by if, with the parent; the widths of the round before in another property
// names: parent=p
function widest(Graph g, propNode<int> width, propNode<node> p, propEdge<int> weight, node src) {
  propNode<int> next;
  g.attachNodeProperty(width = 0, next = 0, p = -1);
  src.width = INF;
  src.next = INF;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes()) {
      for (u in g.nodes_to(v)) {
        edge e = g.get_edge(u, v);
        int b = min(u.width, e.weight);
        if (v.next < b) {
          v.next = b;
          v.p = u;
          more = True;
        }
      }
    }
    width = next;
  }
}
