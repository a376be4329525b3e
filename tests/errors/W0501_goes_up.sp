function near(Graph g, propNode<int> d) {
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes()) {
      forall (w in g.neighbors(v)) {
        <w.d, more> = <Min(w.d, 10 - v.d), True>;
      }
    }
  }
}
