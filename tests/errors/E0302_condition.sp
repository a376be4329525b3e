function f(Graph g, propNode<node> parent, propNode<double> rest) {
  int roots = 0;
  forall (v in g.nodes().filter(parent)) {
    if (v.rest) {
      roots += 1;
    }
    roots += v.rest ? 1 : 0;
  }
  return roots;
}
