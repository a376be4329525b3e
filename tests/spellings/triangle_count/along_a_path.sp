// forall; u < v < w along two arcs, the third is asked for; one if with &&
// names: triangles=return
function tc(Graph g) {
  long n = 0;
  forall (u in g.nodes()) {
    forall (v in g.neighbors(u)) {
      forall (w in g.neighbors(v)) {
        if (u < v && v < w && g.check_if_nbr(u, w)) {
          n += 1;
        }
      }
    }
  }
  return n;
}
