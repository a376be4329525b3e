// all ordered triples around each node are counted in a property, and divided by six in the end
// names: triangles=return
function tc(Graph g) {
  propNode<long> here;
  forall (v in g.nodes()) {
    v.here = 0;
    for (u in g.neighbors(v)) {
      for (w in g.neighbors(v)) {
        if (u != v && w != v && u != w && g.is_an_edge(u, w)) {
          v.here++;
        }
      }
    }
  }
  return Sum(here) / 6;
}
