// while; pull; the own cells by if, with the parent; a scalar flag; two temporaries
// names: parent=pred
function sssp(Graph g, propNode<int> dist, propNode<node> pred, propEdge<int> weight, node src) {
  propNode<int> next;
  g.attachNodeProperty(dist = INF, next = INF, pred = -1);
  src.dist = 0;
  src.next = 0;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes()) {
      for (u in g.nodes_to(v)) {
        edge e = g.get_edge(u, v);
        int offered = u.dist + e.weight;
        if (offered < v.next) {
          v.next = offered;
          v.pred = u;
          more = True;
        }
      }
    }
    dist = next;
  }
}
