// Eccentricities: `eccentricity` is the number of arcs to the node that is farthest from a node; returns the diameter.
//
// INF where some node cannot be reached. The diameter is the largest of them; the smallest is the radius. `in_center`
// marks the nodes with the smallest, `in_periphery` those with the largest.
function eccentricity(Graph g, propNode<int> eccentricity, propNode<bool> in_center, propNode<bool> in_periphery) {
  for (src in g.nodes()) {
    propNode<int> level;
    int farthest = 0;
    int reached = 0;
    g.attachNodeProperty(level = INF);
    src.level = 0;
    iterateInBFS (v in g.nodes() from src) {
      forall (w in g.neighbors(v)) {
        <w.level> = <Min(w.level, v.level + 1)>;
      }
      farthest = max(farthest, v.level);
      reached += 1;
    }
    src.eccentricity = reached == g.num_nodes() ? farthest : INF;
  }
  int radius = INF;
  int diameter = 0;
  forall (v in g.nodes()) {
    radius = min(radius, v.eccentricity);
    diameter = max(diameter, v.eccentricity);
  }
  forall (v in g.nodes()) {
    v.in_center = v.eccentricity == radius;
    v.in_periphery = v.eccentricity == diameter;
  }
  return diameter;
}
