// Sums over the distances from `sources` to every node, of which closeness and eccentricity are made.
//
// Distances are counted in arcs: `farness` is their sum, `reached_by` their number, `farthest` the largest (-1 if there
// is none), `nearness` the sum of their inverses.
function distance_sums(Graph g, propNode<long> farness, propNode<int> reached_by, propNode<int> farthest, propNode<double> nearness, SetN<g> sources) {
  g.attachNodeProperty(farness = 0, reached_by = 0, farthest = -1, nearness = 0.0);
  forall (src in sources) {
    propNode<int> level;
    g.attachNodeProperty(level = INF);
    src.level = 0;
    iterateInBFS (v in g.nodes() from src) {
      forall (w in g.neighbors(v)) {
        <w.level> = <Min(w.level, v.level + 1)>;
      }
      v.farness += v.level;
      v.reached_by += 1;
      <v.farthest> = <Max(v.farthest, v.level)>;
      v.nearness += v.level > 0 ? 1.0 / v.level : 0.0;
    }
  }
}
