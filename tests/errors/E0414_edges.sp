function f(Graph g, propEdge<int> p) {
  forall (e in g.edges()) {
    map<int, int> votes;
    p[e] = votes.size();
  }
}
