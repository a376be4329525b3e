function f(Graph g, propNode<int> chosen, propEdge<node> weight) {
  forall (v in g.nodes()) {
    forall (w in g.neighbors(v)) {
      edge e = g.get_edge(v, w);
      if (e.weight == v) {
        v.chosen = 1;
      }
    }
  }
}
