// for each arc upwards the common neighbors of its ends, whatever their numbers; a third of all
// names: triangles=return
function count(Graph g) {
  long found = 0;
  forall (e in g.edges()) {
    node a = e.source;
    node b = e.destination;
    if (a < b) {
      int common = 0;
      for (c in g.neighbors(a)) {
        if (c != a && c != b && g.is_an_edge(b, c)) {
          common++;
        }
      }
      found += common;
    }
  }
  return found / 3;
}
