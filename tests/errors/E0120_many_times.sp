function f(Graph g, propNode<int> p, int n) {
  forall (v in g.nodes().filter(n++ < 3)) {
    v.p = 1;
  }
  loop (i in 0 to n-- by 1) {
    p[i] = 0;
  }
}
