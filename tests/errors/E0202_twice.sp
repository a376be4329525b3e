function f(Graph g, node src) {
  int src = 3;
  return src + g.num_nodes();
}
