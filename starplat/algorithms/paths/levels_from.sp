// Levels of a breadth-first search from several nodes at once: `level` counts the arcs from the nearest of `sources`.
//
// It is INF where there is no path.
function levels_from(Graph g, propNode<int> level, SetN<g> sources) {
  propNode<bool> frontier;
  g.attachNodeProperty(level = INF, frontier = False);
  forall (s in sources) {
    s.level = 0;
    s.frontier = True;
  }
  bool finished = False;
  fixedPoint until (finished : !frontier) {
    forall (v in g.nodes().filter(frontier == True)) {
      forall (w in g.neighbors(v)) {
        <w.level, w.frontier> = <Min(w.level, v.level + 1), True>;
      }
    }
  }
}
