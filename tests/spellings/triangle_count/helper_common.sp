// forall over edges; a helper function counts common neighbors above both ends
// names: triangles=return
function common_above(Graph g, node u, node v) {
  int n = 0;
  for (w in g.neighbors(u)) {
    if (w > v && g.is_an_edge(v, w)) {
      n = n + 1;
    }
  }
  return n;
}
function main(Graph g) {
  long t = 0;
  forall (v in g.nodes()) {
    forall (w in g.neighbors(v)) {
      if (v < w) {
        t += common_above(g, v, w);
      }
    }
  }
  return t;
}
