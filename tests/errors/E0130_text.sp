function f(Graph g) {
  print("never ends, g.num_nodes());
  print("C:\data", "a\n\t\"b\\");
}
