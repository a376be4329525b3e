// Connected components by labels that hook and jump; a label is an int that is used as a node.
Static components(Graph g, propNode<int> comp) {
  forall (v in g.nodes()) {
    v.comp = v;
  }
  int changed = True;
  while (changed) {
    changed = 0;
    forall (v in g.nodes()) {
      forall (w in g.inOutNbrs(v)) {
        if (w.comp > v.comp) {
          <w.comp, changed> = <Min(w.comp, v.comp), 1>;
        }
      }
    }
    propNode<int> jumped;
    forall (v in g.nodes()) {
      v.jumped = v.comp.comp;
    }
    comp = jumped;
  }
}
