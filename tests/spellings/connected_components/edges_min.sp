// fixedPoint on a changed flag; arcs; the lesser label to both ends by Min
function cc(Graph g, propNode<int> component) {
  bool changed = True;
  forall (v in g.nodes()) {
    v.component = v;
  }
  while (changed) {
    changed = False;
    forall (e in g.edges()) {
      node u = e.source;
      node v = e.destination;
      int low = min(u.component, v.component);
      if (u.component > low) {
        u.component = Min(u.component, low);
        changed = True;
      }
      if (v.component > low) {
        v.component = Min(v.component, low);
        changed = True;
      }
    }
  }
}
