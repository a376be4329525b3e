// arcs; the row of u times the column of v, masked by the matrix, below the diagonal
// names: triangles=return
function tc(Graph g) {
  long sum = 0;
  forall (e in g.edges()) {
    node u = e.source;
    node v = e.destination;
    if (u > v) {
      for (w in g.neighbors(u)) {
        if (w < v && g.is_an_edge(v, w)) {
          sum++;
        }
      }
    }
  }
  return sum;
}
