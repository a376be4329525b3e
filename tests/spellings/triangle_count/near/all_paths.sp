// As from_the_middle without the question: paths over a middle node.
// names: triangles=return
function tc(Graph g) {
  long n = 0;
  forall (v in g.nodes()) {
    forall (a in g.neighbors(v).filter(a < v)) {
      forall (b in g.neighbors(v).filter(v < b)) {
        n += 1;
      }
    }
  }
  return n;
}
