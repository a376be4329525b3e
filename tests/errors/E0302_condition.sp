function f(Graph g, propNode<int> parent) {
  int roots = 0;
  forall (v in g.nodes().filter(parent)) {
    if (v.parent - v) {
      roots += 1;
    }
  }
  return roots;
}
