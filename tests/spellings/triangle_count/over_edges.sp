// forall over edges; common neighbors of both ends that are greater than both
// names: triangles=return
function tc(Graph g) {
  long count = 0;
  forall (e in g.edges()) {
    node u = e.source;
    node v = e.destination;
    if (u < v) {
      forall (w in g.neighbors(u).filter(w > v)) {
        if (g.is_an_edge(w, v)) {
          count += 1;
        }
      }
    }
  }
  return count;
}
