// while; loop over edges, roots hooked to smaller roots, then pointer jumping; Min
function components(Graph g, propNode<node> component) {
  forall (v in g.nodes()) {
    v.component = v;
  }
  bool again = True;
  while (again) {
    again = False;
    forall (e in g.edges()) {
      node p = e.source.component;
      node q = e.destination.component;
      if (p != q) {
        again = True;
        <p.component> = <Min(p.component, q)>;
        <q.component> = <Min(q.component, p)>;
      }
    }
    forall (v in g.nodes()) {
      while (v.component != v.component.component) {
        v.component = v.component.component;
      }
    }
  }
}
