// As from_the_middle, but those count that no arc closes.
// names: triangles=return
function tc(Graph g) {
  long n = 0;
  forall (v in g.nodes()) {
    forall (a in g.neighbors(v).filter(a < v)) {
      forall (b in g.neighbors(v).filter(v < b)) {
        if (!g.is_an_edge(a, b)) {
          n += 1;
        }
      }
    }
  }
  return n;
}
