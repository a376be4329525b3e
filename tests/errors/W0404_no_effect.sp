function f(Graph g, propNode<int> p) {
  g.num_nodes();
  forall (v in g.nodes()) {
    v.p = v.p;
  }
}
