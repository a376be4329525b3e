function f(Graph g, propNode<int> parts) {
  int left = 0;
  forall (v in g.nodes().filter(parts)) {
    if (!left && v.parts > 2) {
      v.parts -= 2;
    }
  }
  while (left) {
    left--;
  }
}
