// As old_and_new, but two rounds: the least number within two steps.
function cc(Graph g, propNode<node> component) {
  propNode<node> next;
  forall (v in g.nodes()) {
    v.component = v;
  }
  next = component;
  for (int i = 0; i < 2; i++) {
    forall (v in g.nodes()) {
      forall (w in g.inOutNbrs(v)) {
        <w.next> = <Min(w.next, v.component)>;
      }
    }
    component = next;
  }
}
