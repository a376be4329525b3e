// forall over edges; a count in each edge; a sum over edges; every triangle is on six arcs
// names: triangles=return
function tc(Graph g) {
  propEdge<int> support;
  forall (e in g.edges()) {
    node u = e.source;
    node v = e.destination;
    int n = 0;
    if (u != v) {
      for (w in g.neighbors(u)) {
        if (w != u && w != v && g.is_an_edge(v, w)) {
          n++;
        }
      }
    }
    e.support = n;
  }
  long sum = 0;
  forall (e in g.edges()) {
    sum += e.support;
  }
  return sum / 6;
}
