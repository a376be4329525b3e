function f(Graph g, propNode<int> p, propEdge<float> weight) {
  forall (v in g.nodes()) {
    map<int, float> votes;
    for (u in g.neighbors(v)) {
      edge e = g.get_edge(v, u);
      votes[u.p] += e.weight;
    }
    v.p = votes.best();
  }
}
