function f(Graph g) {
  int rounds = 0;
  for (int i = 0; i < 10; i++) {
    forall (v in g.nodes()) {
      i += g.count_outNbrs(v);
    }
    rounds += 1;
  }
  return rounds;
}
