// while; labels of this round and the next in two properties; push over inOutNbrs; Min; a count of changes
function cc(Graph g, propNode<node> component) {
  propNode<node> next;
  forall (v in g.nodes()) {
    v.component = v;
  }
  next = component;
  int changes = 1;
  while (changes > 0) {
    forall (v in g.nodes()) {
      forall (w in g.inOutNbrs(v)) {
        <w.next> = <Min(w.next, v.component)>;
      }
    }
    changes = 0;
    forall (v in g.nodes()) {
      if (v.next != v.component) {
        changes += 1;
        v.component = v.next;
      }
    }
  }
}
