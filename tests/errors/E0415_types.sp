function f(Graph g, propNode<int> p) {
  forall (v in g.nodes()) {
    map<float, int> votes;
    map<int, bool> flags;
    map<propNode<int>, node> nodes;
  }
}
