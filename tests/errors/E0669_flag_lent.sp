function mark(Graph g, propNode<bool> seen, propNode<bool> now) {
  if (g.num_edges() == 0) {
    return 0;
  }
  forall (v in g.nodes().filter(now)) {
    forall (w in g.neighbors(v).filter(w.seen == False)) {
      w.seen = True;
      w.now = True;
    }
  }
  return 1;
}
function reach(Graph g, propNode<bool> seen, node src) {
  propNode<bool> now;
  g.attachNodeProperty(seen = False, now = False);
  src.seen = True;
  src.now = True;
  fixedPoint until (done : !now) {
    int some = mark(g, seen, now);
  }
}
