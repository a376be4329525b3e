// while (Count(frontier) > 0); two flag properties; inOutNbrs; Min
function cc(Graph g, propNode<int> component) {
  propNode<bool> frontier;
  propNode<bool> next;
  forall (v in g.nodes()) {
    v.component = v;
    v.frontier = True;
  }
  while (Count(frontier) > 0) {
    g.attachNodeProperty(next = False);
    forall (v in g.nodes().filter(frontier)) {
      forall (w in g.inOutNbrs(v)) {
        <w.component, w.next> = <Min(w.component, v.component), True>;
      }
    }
    frontier = next;
  }
}
