// over edges into a property; from the least corner; the third is the neighbor of the greater end; summed at the end
// names: triangles=return
function triples(Graph g) {
  propEdge<long> closed;
  g.attachEdgeProperty(closed = 0);
  forall (e in g.edges()) {
    node a = e.source;
    node b = e.destination;
    if (a < b) {
      forall (c in g.neighbors(b)) {
        if (b < c && g.check_if_nbr(a, c)) {
          e.closed += 1;
        }
      }
    }
  }
  long all = 0;
  forall (e in g.edges()) {
    all += e.closed;
  }
  return all;
}
