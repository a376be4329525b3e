function f(Graph g, propNode<int> a, propNode<double> b) {
  a = b;
}
