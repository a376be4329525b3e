function f(Graph g, propNode<int> p) {
  g.attachNodeProperty(p = INF);
  forall (v in g.nodes()) {
    map<int, int> votes;
    for (u in g.neighbors(v)) {
      votes[u] += u.p;
    }
    v.p = votes.best();
  }
}
