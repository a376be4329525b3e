function f(Graph g, propNode<bool> changed) {
  int count = 0;
  forall (v in g.nodes().filter(changed == 1)) {
    count += v.changed;
  }
  return count + (count > 3);
}
