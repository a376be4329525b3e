function f(Graph g, propNode<int> p) {
  forall (v in g.nodes()) {
    forall (u in g.neighbors(v)) {
      map<int, int> votes;
      for (w in g.neighbors(u)) {
        votes[p[w]] += 1;
      }
      u.p = votes.best();
    }
  }
}
