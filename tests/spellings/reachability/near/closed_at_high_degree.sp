// As round_flag, but nodes with more than three out-arcs pass nothing on.
function reach(Graph g, propNode<bool> reached, node src) {
  propNode<bool> active;
  g.attachNodeProperty(reached = False, active = False);
  src.reached = True;
  src.active = True;
  fixedPoint until (done : !active) {
    forall (v in g.nodes().filter(active == True)) {
      if (g.count_outNbrs(v) <= 3) {
        forall (w in g.neighbors(v)) {
          if (w.reached == False) {
            w.reached = True;
            w.active = True;
          }
        }
      }
    }
  }
}
