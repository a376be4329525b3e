// forall; found at the middle node; two filters; is_an_edge; the count is returned
// names: triangles=return
function count(Graph g) {
  long total = 0;
  forall (v in g.nodes()) {
    forall (a in g.neighbors(v).filter(a < v)) {
      forall (b in g.neighbors(v).filter(v < b)) {
        if (g.is_an_edge(a, b)) {
          total += 1;
        }
      }
    }
  }
  return total;
}
