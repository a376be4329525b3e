function f(Graph g) {
  int rounds = 0;
  while (True) {
    rounds += g.num_nodes();
  }
  return rounds;
}
