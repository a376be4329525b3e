function f(Graph g) {
  return g.num_nodes() / 0;
}
