// do while; the flag says who is missing; pull with a temporary; the result is the flag turned round at the end
// names: reached=seen src=origin
function who_is_reached(Graph g, propNode<bool> seen, node origin) {
  propNode<bool> missing;
  g.attachNodeProperty(missing = True);
  origin.missing = False;
  bool changed;
  do {
    changed = False;
    forall (v in g.nodes().filter(missing)) {
      bool alone = True;
      for (u in g.nodes_to(v)) {
        alone = alone && u.missing;
      }
      if (!alone) {
        v.missing = False;
        changed = True;
      }
    }
  } while (changed);
  forall (v in g.nodes()) {
    v.seen = !v.missing;
  }
}
