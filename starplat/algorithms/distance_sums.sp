// What the distances to a node say: from all of `sources`, counted in arcs, their sum (`farness`), how many sources
// reach it (`reached_by`), the largest (`farthest`, -1 if none does) and the sum of their inverses (`nearness`).
//
// Closeness, harmonic centrality, eccentricities and mean distances are made of these.
function distance_sums(Graph g, propNode<long> farness, propNode<int> reached_by, propNode<int> farthest, propNode<double> nearness, SetN<g> sources) {
  g.attachNodeProperty(farness = 0, reached_by = 0, farthest = -1, nearness = 0.0);
  for (src in sources) {
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
