function f(Graph g, propNode<int> level, propNode<double> x) {
  long count = 0;
  double rest = 0.0;
  forall (v in g.nodes()) {
    if (0 < v.level < 3) {
      count += 1;
    }
    if (v.level & 3 == 1) {
      count += ~True;
    }
    rest += v.x % 2;
  }
  bool odd = count > 3 | count;
  odd++;
  return count + rest;
}
