function f(Graph g, propNode<bool> changed, propNode<int> level) {
  int count = 0;
  forall (v in g.nodes().filter(changed == 2)) {
    if (v.level == v == 0) {
      count += 1;
    }
    count += v == v.changed ? 1 : 0;
  }
  return count;
}
