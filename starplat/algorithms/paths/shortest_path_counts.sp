// The number of shortest paths from a node: `paths` to every node, each of `level` arcs.
//
// Where there is none `paths` is 0 and `level` INF; parallel arcs make different paths. The numbers are exact up to
// 2^53, may exceed a double (INF) in large grids, and are those that betweenness is made of (Brandes).
function shortest_path_counts(Graph g, propNode<double> paths, propNode<int> level, node src) {
  g.attachNodeProperty(paths = 0.0, level = INF);
  src.paths = 1.0;
  src.level = 0;
  iterateInBFS (v in g.nodes() from src) {
    forall (w in g.neighbors(v)) {
      <w.level> = <Min(w.level, v.level + 1)>;
      w.paths += v.paths;
    }
  }
}
