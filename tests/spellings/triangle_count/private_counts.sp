// forall; a count private to the outer node, added once; for in place of the inner forall
// names: triangles=return
function tc(Graph g) {
  long triangles = 0;
  forall (v in g.nodes()) {
    int mine = 0;
    for (u in g.neighbors(v).filter(u > v)) {
      for (w in g.neighbors(v).filter(w > u)) {
        if (g.is_an_edge(u, w)) {
          mine++;
        }
      }
    }
    triangles += mine;
  }
  return triangles;
}
