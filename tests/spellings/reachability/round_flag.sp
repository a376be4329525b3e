// fixedPoint; the result beside one flag property; push; if on a neighbor that is not reached
function reach(Graph g, propNode<bool> reached, node src) {
  propNode<bool> active;
  g.attachNodeProperty(reached = False, active = False);
  src.reached = True;
  src.active = True;
  fixedPoint until (done : !active) {
    forall (v in g.nodes().filter(active == True)) {
      forall (w in g.neighbors(v)) {
        if (w.reached == False) {
          w.reached = True;
          w.active = True;
        }
      }
    }
  }
}
