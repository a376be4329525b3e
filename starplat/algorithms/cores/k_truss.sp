// The k-truss: `kept` marks the arcs of the largest subgraph whose edges are each in k - 2 triangles of it.
//
// Drops, again and again, the edges with fewer. The graph is undirected, without loops and parallel edges.
function k_truss(Graph g, propEdge<bool> kept, int k) {
  propEdge<bool> kept_nxt;
  g.attachEdgeProperty(kept = True, kept_nxt = True);
  bool dropping = True;
  while (dropping) {
    dropping = False;
    forall (e in g.edges().filter(kept)) {
      int triangles = 0;
      for (w in g.neighbors(e.source)) {
        edge first = g.get_edge(e.source, w);
        edge second = g.get_edge(e.destination, w);
        if (first.kept && second != -1) {
          if (second.kept) {
            triangles += 1;
          }
        }
      }
      if (triangles < k - 2) {
        e.kept_nxt = False;
        dropping = True;
      }
    }
    kept = kept_nxt;
  }
}
