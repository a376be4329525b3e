// Katz centrality: `score` counts the walks to a node, each weighed by `attenuation` to the power of its length.
//
// A walk starts at a node with that node's `start`, by default 1 for all. `score` holds the first guess. True if a round changed the scores
// by less than `tolerance` in total.
function katz_centrality(Graph g, propNode<double> score, propNode<double> start, propEdge<double> weight, double attenuation = 0.1, double tolerance = 1e-6, int max_iterations = 1000) {
  propNode<double> score_nxt;
  bool converged = False;
  int iterations = 0;
  if (Count(start) == 0) {
    g.attachNodeProperty(start = 1.0);
  }
  while (!converged && iterations < max_iterations) {
    double change = 0.0;
    forall (v in g.nodes()) {
      double sum = 0.0;
      for (u in g.nodes_to(v)) {
        edge e = g.get_edge(u, v);
        sum += u.score * e.weight;
      }
      v.score_nxt = attenuation * sum + v.start;
      change += abs(v.score_nxt - v.score);
    }
    score = score_nxt;
    converged = change < tolerance;
    iterations++;
  }
  return converged;
}
