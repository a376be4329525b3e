// A `forall` that the host drives judged its filter when an iteration's turn came, not on entry.
function entry(Graph g, propNode<int> a, propNode<bool> f) {
  g.attachNodeProperty(f = True);
  forall (v in g.nodes().filter(f)) {
    propNode<int> one;
    g.attachNodeProperty(one = 1);
    forall (w in g.nodes()) {
      w.f = False;
    }
    v.a = v.one + 1;
  }
}
