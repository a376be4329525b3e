// forall; the question in a ternary; the middle node; ends by number
// names: triangles=return
function tri(Graph g) {
  long sum = 0;
  forall (m in g.nodes()) {
    forall (lo in g.neighbors(m)) {
      if (lo < m) {
        forall (hi in g.neighbors(m)) {
          sum += hi > m ? (g.is_an_edge(lo, hi) ? 1 : 0) : 0;
        }
      }
    }
  }
  return sum;
}
