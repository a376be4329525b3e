function has_sink(Graph g) {
  forall (v in g.nodes()) {
    if (g.count_outNbrs(v) == 0) {
      return True;
    }
  }
  return False;
}
