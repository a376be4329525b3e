function f(Graph g, propNode<list<int>> members) {
  return g.num_nodes();
}
