// for all through; the three numbers rise; continue in place of nested ifs
// names: triangles=return
function tri(Graph g) {
  long k = 0;
  for (a in g.nodes()) {
    for (b in g.neighbors(a)) {
      if (b <= a) {
        continue;
      }
      for (c in g.neighbors(b)) {
        if (c <= b) {
          continue;
        }
        if (g.is_an_edge(a, c)) {
          k++;
        }
      }
    }
  }
  return k;
}
