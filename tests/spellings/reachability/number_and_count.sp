// while (changed > 0); no frontier but the result itself, a number; push; if; a choice at the end
// names: reached=r
function reach(Graph g, propNode<bool> r, node src) {
  propNode<int> mark;
  g.attachNodeProperty(mark = 0);
  src.mark = 1;
  int changed = 1;
  while (changed > 0) {
    changed = 0;
    forall (v in g.nodes()) {
      if (v.mark == 1) {
        forall (w in g.neighbors(v)) {
          if (w.mark == 0) {
            w.mark = 1;
            changed = changed + 1;
          }
        }
      }
    }
  }
  forall (v in g.nodes()) {
    if (v.mark == 1) { v.r = True; } else { v.r = False; }
  }
}
