// fixedPoint; values as frontier: 1 is passed on by Max; one flag property; the result is made at the end
function reach(Graph g, propNode<bool> reached, node src) {
  propNode<int> got;
  propNode<bool> active;
  g.attachNodeProperty(got = 0, active = False);
  src.got = 1;
  src.active = True;
  fixedPoint until (done : !active) {
    forall (v in g.nodes().filter(active)) {
      forall (w in g.neighbors(v)) {
        <w.got, w.active> = <Max(w.got, v.got), True>;
      }
    }
  }
  forall (v in g.nodes()) {
    v.reached = v.got > 0;
  }
}
