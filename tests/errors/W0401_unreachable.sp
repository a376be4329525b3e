function f(Graph g) {
  int nodes = g.num_nodes();
  return nodes;
  nodes = 0;
}
