// Levels of a breadth-first search: `level` counts the arcs of a shortest path from `src`, INF where there is none.
//
// Whoever came nearer tells its neighbors, until nobody did: shortest paths with every arc as long as any other.
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
