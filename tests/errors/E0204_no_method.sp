function arcs(Graph g) {
  long arcs = 0;
  forall (v in g.nodes()) {
    arcs += g.count_outNeighbors(v);
  }
  return arcs;
}
