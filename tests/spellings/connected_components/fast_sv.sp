// while; grandparents: hook the parent and the node to the grandparent of a neighbor, then jump one step
function cc(Graph g, propNode<node> component) {
  forall (v in g.nodes()) {
    v.component = v;
  }
  bool change = True;
  while (change) {
    change = False;
    forall (e in g.edges()) {
      node u = e.source;
      node v = e.destination;
      node pu = u.component;
      node pv = v.component;
      if (pu < pv) {
        pv.component = Min(pv.component, pu);
        v.component = Min(v.component, pu);
        change = True;
      }
      if (pv < pu) {
        pu.component = Min(pu.component, pv);
        u.component = Min(u.component, pv);
        change = True;
      }
    }
    forall (v in g.nodes()) {
      node p = v.component;
      v.component = Min(v.component, p.component);
    }
  }
}
