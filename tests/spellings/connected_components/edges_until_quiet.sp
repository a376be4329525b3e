// while; loop over edges; no frontier; if in place of Min, towards both ends
function cc(Graph g, propNode<int> component) {
  forall (v in g.nodes()) {
    v.component = v;
  }
  bool changed = True;
  while (changed) {
    changed = False;
    forall (e in g.edges()) {
      node a = e.source;
      node b = e.destination;
      if (a.component < b.component) {
        b.component = a.component;
        changed = True;
      }
      if (b.component < a.component) {
        a.component = b.component;
        changed = True;
      }
    }
  }
}
