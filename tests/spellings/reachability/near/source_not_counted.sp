// As round_flag, but the source is marked only where an arc comes back to it.
function reach(Graph g, propNode<bool> reached, node src) {
  propNode<bool> active;
  g.attachNodeProperty(reached = False, active = False);
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
