// Weighted closeness centrality: `closeness` is the inverse of the mean distance from other nodes to a node.
//
// A distance is the least sum of weights along a path; no weight is negative. Scaled by the share of the graph from which
// the node can be reached (Wasserman and Faust), as NetworkX does; 0 where no other node can reach it.
function weighted_closeness(Graph g, propNode<double> closeness, propEdge<double> weight) {
  propNode<double> farness;
  propNode<int> reached_by;
  g.attachNodeProperty(closeness = 0.0, farness = 0.0, reached_by = 0);
  for (src in g.nodes()) {
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
    }
  }
  forall (v in g.nodes().filter(farness > 0.0)) {
    double others = v.reached_by - 1;
    v.closeness = others / v.farness * (others / (g.num_nodes() - 1));
  }
}
