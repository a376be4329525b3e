// while; the frontier is a level; push; if; the result is made of the levels at the end
// names: reached=r
function reach(Graph g, propNode<bool> r, node src) {
  propNode<int> level;
  g.attachNodeProperty(level = -1);
  src.level = 0;
  int depth = 0;
  bool grew = True;
  while (grew) {
    grew = False;
    forall (v in g.nodes().filter(level == depth)) {
      forall (w in g.neighbors(v)) {
        if (w.level == -1) {
          w.level = depth + 1;
          grew = True;
        }
      }
    }
    depth++;
  }
  forall (v in g.nodes()) {
    v.r = v.level != -1;
  }
}
