// fixedPoint; one flag property; push along arcs and against them in two loops; Min
// names: component=label
function cc(Graph g, propNode<int> label) {
  propNode<bool> active;
  g.attachNodeProperty(active = True);
  forall (v in g.nodes()) {
    v.label = v;
  }
  fixedPoint until (done : !active) {
    forall (v in g.nodes().filter(active == True)) {
      forall (w in g.neighbors(v)) {
        <w.label, w.active> = <Min(w.label, v.label), True>;
      }
      forall (u in g.nodes_to(v)) {
        <u.label, u.active> = <Min(u.label, v.label), True>;
      }
    }
  }
}
