function f(Graph g, propNode<bool> active) {
  int rounds = 0;
  fixedPoint until (rounds : !active) {
    forall (v in g.nodes()) {
      v.active = False;
    }
  }
  return rounds;
}
