// while; one node after another; one flag property, taken back in the node's turn; push; a temporary
function sssp(Graph g, propNode<int> dist, propEdge<int> weight, node src) {
  propNode<bool> dirty;
  g.attachNodeProperty(dist = INF, dirty = False);
  src.dist = 0;
  src.dirty = True;
  bool more = True;
  while (more) {
    more = False;
    for (u in g.nodes()) {
      if (u.dirty) {
        u.dirty = False;
        for (v in g.neighbors(u)) {
          edge e = g.get_edge(u, v);
          int alt = u.dist + e.weight;
          if (alt < v.dist) {
            v.dist = alt;
            v.dirty = True;
            more = True;
          }
        }
      }
    }
  }
}
