// Closeness centrality: `closeness` is the inverse of the mean number of steps that it takes to come to a node.
//
// Scaled by the share of the graph from which the node can be reached (Wasserman and Faust), as NetworkX does; 0
// where no other node can reach it.
function closeness_centrality(Graph g, propNode<double> closeness) {
  propNode<long> farness;
  propNode<int> reached_by;
  g.attachNodeProperty(closeness = 0.0, farness = 0, reached_by = 0);
  for (src in g.nodes()) {
    propNode<int> level;
    g.attachNodeProperty(level = INF);
    src.level = 0;
    iterateInBFS (v in g.nodes() from src) {
      forall (w in g.neighbors(v)) {
        <w.level> = <Min(w.level, v.level + 1)>;
      }
      v.farness += v.level;
      v.reached_by += 1;
    }
  }
  forall (v in g.nodes().filter(farness > 0)) {
    double others = v.reached_by - 1;
    v.closeness = others / v.farness * (others / (g.num_nodes() - 1));
  }
}
