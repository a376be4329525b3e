// while; loop over edges; no frontier; if at both ends
function reach(Graph g, propNode<bool> reached, node src) {
  g.attachNodeProperty(reached = False);
  src.reached = True;
  bool changed = True;
  while (changed) {
    changed = False;
    forall (e in g.edges()) {
      node to = e.destination;
      if (e.source.reached && !to.reached) {
        to.reached = True;
        changed = True;
      }
    }
  }
}
