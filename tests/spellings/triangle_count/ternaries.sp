// a sum of 0 or 1 by a ternary for each pair of neighbors
// names: triangles=return
function tc(Graph g) {
  long t = 0;
  forall (v in g.nodes()) {
    forall (u in g.neighbors(v)) {
      forall (w in g.neighbors(v)) {
        t += (v < u && u < w && g.is_an_edge(u, w)) ? 1 : 0;
      }
    }
  }
  return t;
}
