function near(Graph g, propNode<int> d) {
  forall (v in g.nodes()) {
    forall (w in g.neighbors(v)) {
      <w.d> = <Min(w.d, v.d + 1)>;
    }
  }
}
