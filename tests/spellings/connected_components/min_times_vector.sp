// while; a vector times A and its transpose over min: into a new vector; compared in the end
function cc(Graph g, propNode<int> component) {
  propNode<int> f;
  forall (v in g.nodes()) {
    v.component = v;
  }
  bool different = True;
  while (different) {
    different = False;
    forall (v in g.nodes()) {
      v.f = v.component;
      for (w in g.inOutNbrs(v)) {
        v.f = min(v.f, w.component);
      }
    }
    forall (v in g.nodes()) {
      if (v.f < v.component) {
        v.component = v.f;
        different = True;
      }
    }
  }
}
