// forall; found at the least node; ifs in place of filters; get_edge compared with -1
// names: triangles=return
function tc(Graph g) {
  long t = 0;
  forall (u in g.nodes()) {
    forall (v in g.neighbors(u)) {
      if (u < v) {
        forall (w in g.neighbors(u)) {
          if (v < w) {
            if (g.get_edge(v, w) != -1) {
              t++;
            }
          }
        }
      }
    }
  }
  return t;
}
