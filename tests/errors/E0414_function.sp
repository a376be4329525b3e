function f(Graph g, propNode<int> p) {
  map<int, int> votes;
  forall (v in g.nodes()) {
    p[v] = votes.size();
  }
}
