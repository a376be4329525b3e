function f(Graph g, node src, SetN<src> sources) {
  return sources.size() + g.num_nodes();
}
