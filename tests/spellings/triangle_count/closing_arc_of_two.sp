// forall over arcs; a helper counts what two nodes have in common above both; the sum of a helper's results
// names: triangles=return
function above(Graph g, node a, node b) {
  long both = 0;
  for (c in g.neighbors(a)) {
    if (c > b) {
      if (g.is_an_edge(b, c)) {
        both += 1;
      }
    }
  }
  return both;
}

function triangles(Graph g) {
  long all = 0;
  forall (e in g.edges()) {
    if (e.source < e.destination) {
      all += above(g, e.source, e.destination);
    }
  }
  return all;
}
