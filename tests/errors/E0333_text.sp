function f(Graph g, propNode<int> p) {
  print("text", p, g);
  assert(g.num_nodes() / 2.0);
  assert();
  assert(True, 1);
  int x = "text";
  return min("a", print(x));
}
