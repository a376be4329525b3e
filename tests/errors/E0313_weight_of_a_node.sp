function f(Graph g, propNode<int> dist, propEdge<int> weight) {
  forall (v in g.nodes()) {
    forall (w in g.neighbors(v)) {
      <w.dist> = <Min(w.dist, v.dist + w.weight)>;
    }
  }
}
