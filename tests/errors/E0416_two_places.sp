function f(Graph g, propNode<int> p) {
  forall (v in g.nodes()) {
    map<int, int> votes;
    for (u in g.neighbors(v)) {
      votes[u.p] += 1;
    }
    for (u in g.nodes_to(v)) {
      votes[u.p] += 1;
    }
    v.p = votes.best();
  }
}
