// Sums over the distances from `sources` to every node, as `distance_sums.sp`, weighted.
//
// A distance is the least sum of weights along a path; no weight is negative.
function weighted_distance_sums(Graph g, propNode<double> farness, propNode<int> reached_by, propNode<double> farthest, propNode<double> nearness, propEdge<double> weight, SetN<g> sources) {
  g.attachNodeProperty(farness = 0.0, reached_by = 0, farthest = -1.0, nearness = 0.0);
  for (src in sources) {
    propNode<double> dist;
    propNode<bool> modified;
    g.attachNodeProperty(dist = INF, modified = False);
    src.dist = 0.0;
    src.modified = True;
    bool finished = False;
    fixedPoint until (finished : !modified) {
      forall (v in g.nodes().filter(modified == True)) {
        forall (w in g.neighbors(v)) {
          edge e = g.get_edge(v, w);
          <w.dist, w.modified> = <Min(w.dist, v.dist + e.weight), True>;
        }
      }
    }
    forall (v in g.nodes().filter(dist < INF)) {
      v.farness += v.dist;
      v.reached_by += 1;
      v.farthest = max(v.farthest, v.dist);
      v.nearness += v.dist > 0.0 ? 1.0 / v.dist : 0.0;
    }
  }
}
