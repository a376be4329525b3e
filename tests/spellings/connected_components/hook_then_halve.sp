// while; loop over edges; labels, not roots, are compared; one step of pointer jumping a round; a comparison with the old
// names: component=part
function cc(Graph g, propNode<node> part) {
  propNode<node> old;
  forall (v in g.nodes()) { v.part = v; }
  bool stable = False;
  while (!stable) {
    old = part;
    forall (e in g.edges()) {
      node a = e.source;
      node b = e.destination;
      node low = min(a.old, b.old);
      node top_a = a.old;
      node top_b = b.old;
      <a.part> = <Min(a.part, low)>;
      <b.part> = <Min(b.part, low)>;
      <top_a.part> = <Min(top_a.part, low)>;
      <top_b.part> = <Min(top_b.part, low)>;
    }
    stable = True;
    forall (v in g.nodes()) {
      if (v.part != v.old) {
        stable = False;
      }
    }
  }
}
