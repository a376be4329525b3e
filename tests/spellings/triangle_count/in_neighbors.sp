// forall; in-neighbors for one side, out-neighbors for the other; pull
// names: triangles=return
function tc(Graph g) {
  long t = 0;
  forall (v in g.nodes()) {
    forall (u in g.nodes_to(v).filter(u < v)) {
      forall (w in g.neighbors(v).filter(w > v)) {
        bool closed = g.is_an_edge(u, w);
        if (closed) {
          t += 1;
        }
      }
    }
  }
  return t;
}
