// for loops in a forall; continue where a pair does not count; a flag before the addition
// names: triangles=return
function tc(Graph g) {
  long count = 0;
  forall (a in g.nodes()) {
    for (b in g.neighbors(a)) {
      if (b <= a) {
        continue;
      }
      for (c in g.neighbors(a)) {
        if (c <= b) {
          continue;
        }
        bool closed = g.is_an_edge(b, c);
        if (closed) {
          count = count + 1;
        }
      }
    }
  }
  return count;
}
