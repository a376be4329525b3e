// As round_flag, but labels go along arcs only: the least node that reaches a node.
function cc(Graph g, propNode<int> component) {
  propNode<bool> active;
  g.attachNodeProperty(active = True);
  forall (v in g.nodes()) {
    v.component = v;
  }
  fixedPoint until (done : !active) {
    forall (v in g.nodes().filter(active == True)) {
      forall (w in g.neighbors(v)) {
        <w.component, w.active> = <Min(w.component, v.component), True>;
      }
    }
  }
}
