function nodes(Graph g, node src) {
  return g.num_nodes();
}
