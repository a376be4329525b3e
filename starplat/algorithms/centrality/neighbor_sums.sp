// Weighted sums over neighbors: `sum` adds up, over the arcs out of a node, the weight times the `value` at the end.
function neighbor_sums(Graph g, propNode<double> value, propNode<double> sum, propEdge<double> weight) {
  forall (v in g.nodes()) {
    v.sum = 0.0;
    for (w in g.neighbors(v)) {
      edge e = g.get_edge(v, w);
      v.sum += w.value * e.weight;
    }
  }
}
