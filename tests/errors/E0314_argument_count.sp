function f(Graph g, node src) {
  return g.get_edge(src) + min(1, 2, 3);
}
