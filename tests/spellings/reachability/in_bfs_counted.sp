// iterateInBFS; nodes mark themselves, and are counted
// names: src=root
function reach(Graph g, propNode<bool> reached, node root) {
  long found = 0;
  forall (v in g.nodes()) {
    v.reached = False;
  }
  iterateInBFS (v in g.nodes() from root) {
    v.reached = True;
    found += 1;
  }
  return found;
}
