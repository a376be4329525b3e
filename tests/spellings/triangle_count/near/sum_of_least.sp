// As from_the_least, but a triangle counts as much as its least number.
// names: triangles=return
function tc(Graph g) {
  long n = 0;
  forall (u in g.nodes()) {
    forall (v in g.neighbors(u).filter(v > u)) {
      forall (w in g.neighbors(u).filter(w > v)) {
        if (g.is_an_edge(v, w)) {
          n += u;
        }
      }
    }
  }
  return n;
}
