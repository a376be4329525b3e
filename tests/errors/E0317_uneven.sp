function f(Graph g, propNode<int> dist, propNode<node> parent) {
  forall (v in g.nodes()) {
    for (w in g.neighbors(v)) {
      <w.dist, w.parent> = <Min(w.dist, v.dist + 1)>;
    }
  }
}
