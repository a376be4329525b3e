// while; the parent says that a node is reached; a flag for who is next; any parent will do
// names: reached=seen parent=up
function reach(Graph g, propNode<bool> seen, propNode<node> up, node src) {
  propNode<bool> here;
  propNode<bool> there;
  g.attachNodeProperty(seen = False, up = -1, here = False, there = False);
  src.seen = True;
  src.here = True;
  bool on = True;
  while (on) {
    on = False;
    forall (v in g.nodes().filter(here)) {
      forall (w in g.neighbors(v).filter(seen == False)) {
        w.up = v;
        w.there = True;
      }
    }
    forall (v in g.nodes()) {
      v.here = v.there;
      if (v.there) {
        v.seen = True;
        v.there = False;
        on = True;
      }
    }
  }
}
