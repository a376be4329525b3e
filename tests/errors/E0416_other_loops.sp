function f(Graph g, propNode<int> p, node root) {
  forall (v in g.nodes()) {
    map<int, int> alone;
    alone[v.p] += 1;
    map<int, int> others;
    for (u in g.neighbors(root)) {
      others[u.p] += 1;
    }
    map<int, int> two_hops;
    for (u in g.neighbors(v)) {
      for (w in g.neighbors(u)) {
        two_hops[w.p] += 1;
      }
    }
    v.p = alone.best() + others.best() + two_hops.best();
  }
}
