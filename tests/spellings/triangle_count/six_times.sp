// forall; every triangle is found six times; the sum is divided; no order but inequality
// names: triangles=return
function tc(Graph g) {
  long sum = 0;
  forall (u in g.nodes()) {
    forall (v in g.neighbors(u)) {
      forall (w in g.neighbors(v)) {
        if (u != v && v != w && w != u && g.is_an_edge(w, u)) {
          sum += 1;
        }
      }
    }
  }
  return sum / 6;
}
