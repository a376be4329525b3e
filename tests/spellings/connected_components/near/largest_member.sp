// As both_neighbors with Max in place of Min: components are called after their largest member.
function cc(Graph g, propNode<int> component) {
  propNode<bool> modified;
  forall (v in g.nodes()) {
    v.component = v;
    v.modified = True;
  }
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes().filter(modified == True)) {
      forall (nbr in g.inOutNbrs(v)) {
        <nbr.component, nbr.modified> = <Max(nbr.component, v.component), True>;
      }
    }
  }
}
