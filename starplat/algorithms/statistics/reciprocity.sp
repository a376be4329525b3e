// The reciprocity of a directed graph: returns the share of its arcs u -> v with an arc v -> u.
//
// Loops count as arcs without one. It is 0 without arcs.
function reciprocity(Graph g) {
  long returned = 0;
  forall (v in g.nodes()) {
    forall (w in g.neighbors(v).filter(w != v)) {
      if (g.is_an_edge(w, v)) {
        returned += 1;
      }
    }
  }
  double arcs = max(g.num_edges(), 1);
  return returned / arcs;
}
