function rank(Graph g, float damping = 0.85, int rounds) {
  return damping * rounds * g.num_nodes();
}
