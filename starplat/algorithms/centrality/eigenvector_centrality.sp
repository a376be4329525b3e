// Eigenvector centrality: `score` is proportional to the weighted sum of the scores of the nodes that lead to a node.
//
// Power iteration with the adjacency matrix plus the identity, which converges for bipartite graphs too. `score` holds
// the first guess, by default 1 for all; its squares sum to 1 at the end. True if a round changed the scores by less than `tolerance` in total.
function eigenvector_centrality(Graph g, propNode<double> score, propEdge<double> weight, double tolerance = 1e-6, int max_iterations = 100) {
  propNode<double> score_nxt;
  bool converged = False;
  int iterations = 0;
  if (Count(score) == 0) {
    g.attachNodeProperty(score = 1.0);
  }
  while (!converged && iterations < max_iterations) {
    double squares = 0.0;
    forall (v in g.nodes()) {
      double sum = v.score;
      for (u in g.nodes_to(v)) {
        edge e = g.get_edge(u, v);
        sum += u.score * e.weight;
      }
      v.score_nxt = sum;
      squares += sum * sum;
    }
    double norm = squares > 0.0 ? sqrt(squares) : 1.0;
    double change = 0.0;
    forall (v in g.nodes()) {
      v.score_nxt = v.score_nxt / norm;
      change += abs(v.score_nxt - v.score);
    }
    score = score_nxt;
    converged = change < tolerance;
    iterations++;
  }
  return converged;
}
