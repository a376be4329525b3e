// max of two corners is asked for: each triangle at its greatest corner
// names: triangles=return
function tc(Graph g) {
  long t = 0;
  forall (v in g.nodes()) {
    for (u in g.neighbors(v)) {
      for (w in g.neighbors(u)) {
        if (u < w && max(u, w) < v && g.is_an_edge(w, v)) {
          t += 1;
        }
      }
    }
  }
  return t;
}
