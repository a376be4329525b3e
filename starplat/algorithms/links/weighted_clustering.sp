// Weighted clustering: `clustering` is the mean strength of the triangles of pairs of a node's neighbors (Onnela).
//
// The strength of a triangle is the geometric mean of its weights, the largest weight of the graph being 1; of a pair
// that no edge joins it is 0. Weights are positive. The graph is undirected, without loops and parallel edges.
function weighted_clustering(Graph g, propNode<double> clustering, propEdge<double> weight) {
  double largest = Max(weight);
  forall (v in g.nodes()) {
    double strength = 0.0;
    for (u in g.neighbors(v)) {
      edge first = g.get_edge(v, u);
      for (w in g.neighbors(v).filter(w > u)) {
        edge second = g.get_edge(u, w);
        if (second != -1) {
          edge third = g.get_edge(v, w);
          strength += pow(first.weight / largest * (second.weight / largest) * (third.weight / largest), 1.0 / 3.0);
        }
      }
    }
    double degree = g.count_outNbrs(v);
    v.clustering = degree > 1.0 ? strength / (degree * (degree - 1.0) / 2.0) : 0.0;
  }
}
