// forall in forall in for; a helper says whether three nodes count; the count of a node in a temporary; returned
// names: triangles=return
function counts(Graph g, node a, node b, node c) {
  return a < b && b < c && g.is_an_edge(a, c);
}

function triangles(Graph g) {
  long total = 0;
  forall (a in g.nodes()) {
    long own = 0;
    for (b in g.neighbors(a)) {
      for (c in g.neighbors(b)) {
        if (counts(g, a, b, c)) {
          own += 1;
        }
      }
    }
    total += own;
  }
  return total;
}
