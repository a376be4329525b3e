// forall; arcs are directed from the lower degree to the higher, numbers break ties; is_an_edge
// names: triangles=return
function before(Graph g, node a, node b) {
  int da = g.count_outNbrs(a);
  int db = g.count_outNbrs(b);
  return da < db || (da == db && a < b);
}
function main(Graph g) {
  long t = 0;
  forall (a in g.nodes()) {
    forall (b in g.neighbors(a)) {
      if (before(g, a, b)) {
        forall (c in g.neighbors(a)) {
          if (before(g, b, c) && g.is_an_edge(b, c)) {
            t += 1;
          }
        }
      }
    }
  }
  return t;
}
