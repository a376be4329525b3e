// fixedPoint over those that are new; nodes not reached ask all their parents; pull; || in a temporary
// names: reached=touched src=seed
function touch(Graph g, propNode<bool> touched, node seed) {
  propNode<bool> fresh;
  g.attachNodeProperty(touched = False, fresh = False);
  seed.touched = True;
  seed.fresh = True;
  fixedPoint until (over : !fresh) {
    forall (v in g.nodes().filter(touched == False)) {
      bool asked = False;
      for (u in g.nodes_to(v)) {
        asked = asked || u.fresh;
      }
      if (asked) {
        v.touched = True;
        v.fresh = True;
      }
    }
  }
}
