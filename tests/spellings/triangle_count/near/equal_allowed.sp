// As from_the_least with <= between the second and the third: arcs to greater nodes count, too.
// names: triangles=return
function tc(Graph g) {
  long n = 0;
  forall (u in g.nodes()) {
    forall (v in g.neighbors(u).filter(v > u)) {
      forall (w in g.neighbors(u).filter(w >= v)) {
        if (w == v || g.is_an_edge(v, w)) {
          n += 1;
        }
      }
    }
  }
  return n;
}
