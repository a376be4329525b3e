// As hooking, but arcs that weigh less than three join nothing.
function cc(Graph g, propNode<node> component, propEdge<int> weight) {
  forall (v in g.nodes()) {
    v.component = v;
  }
  bool again = True;
  while (again) {
    again = False;
    forall (e in g.edges()) {
      node p = e.source.component;
      node q = e.destination.component;
      if (p != q && e.weight >= 3) {
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
