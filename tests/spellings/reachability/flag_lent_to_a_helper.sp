// fixedPoint on one flag; push; if; the round stands in a helper that is lent the flag
// names: reached=seen src=from
function mark(Graph g, propNode<bool> seen, propNode<bool> now) {
  forall (v in g.nodes().filter(now)) {
    forall (w in g.neighbors(v).filter(w.seen == False)) {
      w.seen = True;
      w.now = True;
    }
  }
}
function reach(Graph g, propNode<bool> seen, node from) {
  propNode<bool> now;
  g.attachNodeProperty(seen = False, now = False);
  from.seen = True;
  from.now = True;
  fixedPoint until (done : !now) {
    mark(g, seen, now);
  }
}
