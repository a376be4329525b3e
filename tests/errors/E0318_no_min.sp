function f(Graph g, propNode<int> dist, propNode<node> parent) {
  forall (v in g.nodes()) {
    for (w in g.neighbors(v)) {
      <w.dist, w.parent> = <Min(v.dist, v.dist + 1), v>;
    }
  }
}
