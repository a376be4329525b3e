// As private_counts, but a node stops at the first third node of each second: pairs with a common greater neighbor.
// names: triangles=return
function tc(Graph g) {
  long n = 0;
  forall (v in g.nodes()) {
    int mine = 0;
    for (u in g.neighbors(v).filter(u > v)) {
      for (w in g.neighbors(v).filter(w > u)) {
        if (g.is_an_edge(u, w)) {
          mine++;
          break;
        }
      }
    }
    n += mine;
  }
  return n;
}
