// Whether a graph is connected: returns True if there is a path between any two nodes, arcs taken both ways.
//
// For directed graphs that is weakly connected. A graph without nodes is not: it has no component.
function is_connected(Graph g) {
  propNode<bool> reached;
  propNode<bool> frontier;
  g.attachNodeProperty(reached = False, frontier = False);
  forall (v in g.nodes().filter(v == 0)) {
    v.reached = True;
    v.frontier = True;
  }
  bool finished = False;
  fixedPoint until (finished : !frontier) {
    forall (v in g.nodes().filter(frontier)) {
      forall (w in g.inOutNbrs(v).filter(!reached)) {
        w.reached = True;
        w.frontier = True;
      }
    }
  }
  return g.num_nodes() > 0 && Count(reached) == g.num_nodes();
}
