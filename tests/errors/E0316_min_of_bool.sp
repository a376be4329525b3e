function f(Graph g, propNode<bool> changed) {
  return Sum(changed) + g.num_nodes();
}
