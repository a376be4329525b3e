function f(Graph g) {
  int count = 0;
  int nodes = g.num_nodes();
  forall (v in g.nodes()) {
    count += 1;
  }
  return nodes;
}
