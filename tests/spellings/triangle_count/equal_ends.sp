// forall; no question for an arc: a third loop looks for the end that closes; filters in all three loops
// names: triangles=return
function tc(Graph g) {
  long t = 0;
  forall (u in g.nodes()) {
    forall (v in g.neighbors(u).filter(v > u)) {
      forall (w in g.neighbors(v).filter(w > v)) {
        for (x in g.neighbors(w).filter(x < v)) {
          if (x == u) {
            t += 1;
          }
        }
      }
    }
  }
  return t;
}
