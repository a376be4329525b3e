function f(Graph g, propNode<int> p) {
  forall (v in g.nodes()) {
    map<int, int> votes;
    for (u in g.neighbors(v)) {
      votes[u.p] += 1;
    }
    g.attachNodeProperty(p = votes.best());
  }
}
