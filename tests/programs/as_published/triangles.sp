// Triangles of an undirected graph, a bool added for each that closes.
Static triangles(Graph g) {
  long triangle_count = 0;
  forall (v in g.nodes()) {
    forall (u in g.neighbors(v).filter(u < v)) {
      forall (w in g.neighbors(v).filter(w > v)) {
        triangle_count += g.is_an_edge(u, w);
      }
    }
  }
  return triangle_count;
}
