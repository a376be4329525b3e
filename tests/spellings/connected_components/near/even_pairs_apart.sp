// As both_neighbors, but an arc between two nodes with even numbers joins nothing.
function cc(Graph g, propNode<int> component) {
  propNode<bool> modified;
  forall (v in g.nodes()) {
    v.component = v;
    v.modified = True;
  }
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes().filter(modified == True)) {
      forall (nbr in g.inOutNbrs(v)) {
        if (v % 2 == 1 || nbr % 2 == 1) {
          <nbr.component, nbr.modified> = <Min(nbr.component, v.component), True>;
        }
      }
    }
  }
}
