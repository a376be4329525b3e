function f(Graph g, propNode<int> p) {
  forall (v in g.nodes()) {
    map<int, int> votes;
    forall (u in g.neighbors(v)) {
      votes[u.p] += 1;
      if (votes.size() > 3) {
        v.p = u.p;
      }
    }
  }
}
