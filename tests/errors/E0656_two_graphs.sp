function f(Graph g, Graph h) {
  return g.num_nodes() + h.num_nodes();
}
