// fixedPoint; helper functions for the start and for a round; two flag properties; push; Min
function own_labels(Graph g, propNode<int> component) {
  forall (v in g.nodes()) {
    v.component = v;
  }
}
function smaller(int a, int b) {
  return min(a, b);
}
function pass_on(Graph g, propNode<int> component, propNode<bool> now, propNode<bool> later) {
  forall (v in g.nodes().filter(now)) {
    forall (w in g.inOutNbrs(v)) {
      <w.component, w.later> = <Min(w.component, smaller(v.component, v)), True>;
    }
  }
}
function main(Graph g, propNode<int> component) {
  propNode<bool> now;
  propNode<bool> later;
  own_labels(g, component);
  g.attachNodeProperty(now = True, later = False);
  fixedPoint until (done : !now) {
    pass_on(g, component, now, later);
    now = later;
    g.attachNodeProperty(later = False);
  }
}
