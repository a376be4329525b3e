function f(Graph g, propNode<node> parent) {
  forall (v in g.nodes()) {
    while (v.parent != v) {
      v = v.parent;
    }
  }
}
