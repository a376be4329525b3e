// As both_neighbors, but a label grows by one on an arc: the least of a node's number and distance together.
function cc(Graph g, propNode<int> component) {
  propNode<bool> modified;
  forall (v in g.nodes()) {
    v.component = v;
    v.modified = True;
  }
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes().filter(modified == True)) {
      forall (nbr in g.inOutNbrs(v)) {
        <nbr.component, nbr.modified> = <Min(nbr.component, v.component + 1), True>;
      }
    }
  }
}
