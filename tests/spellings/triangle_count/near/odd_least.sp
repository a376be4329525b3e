// As from_the_least, but the least number must be odd.
// names: triangles=return
function tc(Graph g) {
  long n = 0;
  forall (u in g.nodes().filter(u % 2 == 1)) {
    forall (v in g.neighbors(u).filter(v > u)) {
      forall (w in g.neighbors(u).filter(w > v)) {
        if (g.is_an_edge(v, w)) {
          n += 1;
        }
      }
    }
  }
  return n;
}
