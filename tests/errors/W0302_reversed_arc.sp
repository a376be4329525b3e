function f(Graph g, propNode<int> incoming) {
  forall (v in g.nodes()) {
    for (u in g.nodes_to(v)) {
      edge e = g.get_edge(v, u);
      v.incoming += e.weight;
    }
  }
}
