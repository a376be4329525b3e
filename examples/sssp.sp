// Shortest paths from one source: `dist` is the least sum of weights along a path from `src`, INF where there is none.
//
// Bellman and Ford's method: whoever came nearer tells its neighbors, until nobody did. Weights must not be negative
// along a cycle.
function sssp(Graph g, propNode<int> dist, propEdge<int> weight, node src) {
  propNode<bool> modified;
  g.attachNodeProperty(dist = INF, modified = False);
  src.dist = 0;
  src.modified = True;
  bool finished = False;
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes().filter(modified == True)) {
      forall (nbr in g.neighbors(v)) {
        edge e = g.get_edge(v, nbr);
        <nbr.dist, nbr.modified> = <Min(nbr.dist, v.dist + e.weight), True>;
      }
    }
  }
}
