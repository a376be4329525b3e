// As one_after_another, but goes on only where the last node has made a neighbor wider.
function widest(Graph g, propNode<int> width, propEdge<int> weight, node src) {
  g.attachNodeProperty(width = 0);
  src.width = INF;
  bool changed = True;
  while (changed) {
    for (u in g.nodes()) {
      changed = False;
      for (v in g.neighbors(u)) {
        edge e = g.get_edge(u, v);
        int through = min(u.width, e.weight);
        if (through > v.width) {
          v.width = through;
          changed = True;
        }
      }
    }
  }
}
