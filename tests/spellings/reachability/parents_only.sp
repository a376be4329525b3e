// while (more); no frontier but nodes that have a parent, -1 for none; push; if; asked at the end
function reach(Graph g, propNode<bool> reached, node src) {
  propNode<node> parent;
  g.attachNodeProperty(parent = -1);
  src.parent = src;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(parent != -1)) {
      forall (w in g.neighbors(v)) {
        if (w.parent == -1) {
          w.parent = v;
          more = True;
        }
      }
    }
  }
  forall (v in g.nodes()) {
    v.reached = v.parent >= 0;
  }
}
