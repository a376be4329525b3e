function f(Graph g, propNode<int> p) {
  forall (v in g.nodes()) {
    map<int, int> votes;
    v.p = votes.best();
  }
}
