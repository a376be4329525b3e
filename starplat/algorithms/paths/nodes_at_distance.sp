// The nodes at a distance: returns how many nodes `steps` arcs lead to from `src` and no fewer; `there` marks them.
function nodes_at_distance(Graph g, propNode<bool> there, node src, int steps = 1) {
  propNode<int> level;
  g.attachNodeProperty(level = INF);
  src.level = 0;
  iterateInBFS (v in g.nodes() from src) {
    forall (w in g.neighbors(v)) {
      <w.level> = <Min(w.level, v.level + 1)>;
    }
  }
  forall (v in g.nodes()) {
    v.there = v.level == steps;
  }
  return Count(there);
}
