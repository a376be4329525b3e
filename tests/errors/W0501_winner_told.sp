function least(Graph g, propNode<int> a, propNode<bool> won) {
  int least = INF;
  forall (v in g.nodes()) {
    bool mine = False;
    <least, mine> = <Min(least, v.a), True>;
    v.won = mine;
  }
  return least;
}
