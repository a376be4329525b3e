// fixedPoint; one flag property; push over inOutNbrs; Min
// names: component=comp
function cc(Graph g, propNode<int> comp) {
  propNode<bool> modified;
  forall (v in g.nodes()) {
    v.comp = v;
    v.modified = True;
  }
  bool finished = False;
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes().filter(modified == True)) {
      forall (nbr in g.inOutNbrs(v)) {
        <nbr.comp, nbr.modified> = <Min(nbr.comp, v.comp), True>;
      }
    }
  }
}
