function f(Graph g, propNode<int> p) {
  forall (v in g.nodes()) {
    map<int, int> votes;
    for (u in g.neighbors(v)) {
      votes[u.p] = 1;
      votes[u.p] *= 2;
      <votes[u.p]> = <Min(votes[u.p], 3)>;
      int old = votes[u.p]++;
    }
    v.p = votes.best();
  }
}
