// do … while on a local flag; each node that is not reached looks for a reached parent and breaks
// names: reached=seen
function reach(Graph g, propNode<bool> seen, node src) {
  g.attachNodeProperty(seen = False);
  src.seen = True;
  bool grew;
  do {
    grew = False;
    forall (v in g.nodes()) {
      if (!v.seen) {
        for (u in g.nodes_to(v)) {
          if (u.seen) {
            v.seen = True;
            grew = True;
            break;
          }
        }
      }
    }
  } while (grew);
}
