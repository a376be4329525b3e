// Weighted triangles: `strength` sums, over the walks of three arcs from a node back to it, the product of the weights.
//
// The graph is undirected, without loops and parallel edges. With all weights 1 a triangle counts 2 at each of its nodes.
function weighted_triangles(Graph g, propNode<double> strength, propEdge<double> weight) {
  forall (v in g.nodes()) {
    v.strength = 0.0;
    for (u in g.neighbors(v)) {
      edge first = g.get_edge(v, u);
      for (w in g.neighbors(v)) {
        edge second = g.get_edge(u, w);
        if (second != -1) {
          edge third = g.get_edge(v, w);
          v.strength += first.weight * second.weight * third.weight;
        }
      }
    }
  }
}
