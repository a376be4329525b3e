// forall; numbers descend; filters; the third arc is asked for from its greater end
// names: triangles=return
function tc(Graph graph) {
  long found = 0;
  forall (z in graph.nodes()) {
    forall (y in graph.neighbors(z).filter(y < z)) {
      forall (x in graph.neighbors(y).filter(x < y)) {
        if (graph.is_an_edge(z, x)) {
          found = found + 1;
        }
      }
    }
  }
  return found;
}
