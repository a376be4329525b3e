Dynamic f(Graph g, propEdge<int> weight, propNode<edge> best, updates<g> changes, node a, node b, int total) {
  edge e = g.get_edge(a, b);
  edge last = e;
  g.attachNodeProperty(best = -1);
  Batch (changes : 10) {
    if (last != -1) {
      total += 1;
    }
    g.updateCSRDel(changes);
    total += e.weight;
    e = g.get_edge(a, b);
    total += e.weight;
    forall (v in g.nodes()) {
      v.best = v.best == -1 ? e : v.best;
    }
  }
}
