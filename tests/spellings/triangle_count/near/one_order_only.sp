// As along_a_path, but only the last two numbers rise, the first is any other: every triangle counts three times.
// names: triangles=return
function tc(Graph g) {
  long n = 0;
  forall (u in g.nodes()) {
    forall (v in g.neighbors(u)) {
      forall (w in g.neighbors(v)) {
        if (v < w && u != v && u != w && g.is_an_edge(u, w)) {
          n += 1;
        }
      }
    }
  }
  return n;
}
