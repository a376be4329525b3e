// Levels of a breadth-first search: `level` counts the arcs of a shortest path from `src`, INF where there is none.
//
// Shortest paths with arcs of length 1: in each round the nodes whose level fell offer theirs + 1 to their neighbors.
function bfs_levels(Graph g, propNode<int> level, node src) {
  propNode<bool> frontier;
  g.attachNodeProperty(level = INF, frontier = False);
  src.level = 0;
  src.frontier = True;
  bool finished = False;
  fixedPoint until (finished : !frontier) {
    forall (v in g.nodes().filter(frontier == True)) {
      forall (w in g.neighbors(v)) {
        <w.level, w.frontier> = <Min(w.level, v.level + 1), True>;
      }
    }
  }
}
