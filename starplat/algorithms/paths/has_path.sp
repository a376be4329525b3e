// Whether there is a path: returns True if arcs lead from `src` to `destination`. A node has one to itself.
function has_path(Graph g, node src, node destination) {
  propNode<bool> reached;
  propNode<bool> frontier;
  g.attachNodeProperty(reached = False, frontier = False);
  src.reached = True;
  src.frontier = True;
  bool finished = False;
  fixedPoint until (finished : !frontier) {
    forall (v in g.nodes().filter(frontier)) {
      forall (w in g.neighbors(v).filter(!reached)) {
        w.reached = True;
        w.frontier = True;
      }
    }
  }
  return destination.reached;
}
