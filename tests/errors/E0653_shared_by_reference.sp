function f(Graph g, propNode<int> x) {
  int total = 0;
  forall (v in g.nodes()) {
    add(total, v.x);
  }
  return total;
}

function add(int& total, int x) {
  total += x;
}
