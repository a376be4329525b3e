// Hubs and authorities: a good `hub` leads to good authorities, a good `authority` is led to by good hubs (Kleinberg).
//
// `authority` holds the first guess, by default 1 for all. The squares of the authorities sum to 1. True if a round changed the authorities
// by less than `tolerance` in total.
function hits(Graph g, propNode<double> hub, propNode<double> authority, propEdge<double> weight, double tolerance = 1e-12, int max_iterations = 1000) {
  propNode<double> authority_nxt;
  bool converged = False;
  int iterations = 0;
  if (Count(authority) == 0) {
    g.attachNodeProperty(authority = 1.0);
  }
  while (!converged && iterations < max_iterations) {
    lead(g, hub, authority, weight);
    double squares = 0.0;
    forall (v in g.nodes()) {
      double sum = 0.0;
      for (u in g.nodes_to(v)) {
        edge e = g.get_edge(u, v);
        sum += u.hub * e.weight;
      }
      v.authority_nxt = sum;
      squares += sum * sum;
    }
    double norm = squares > 0.0 ? sqrt(squares) : 1.0;
    double change = 0.0;
    forall (v in g.nodes()) {
      v.authority_nxt = v.authority_nxt / norm;
      change += abs(v.authority_nxt - v.authority);
    }
    authority = authority_nxt;
    converged = change < tolerance;
    iterations++;
  }
  lead(g, hub, authority, weight);
  return converged;
}

// Every node's hub: the authorities that it leads to.
function lead(Graph g, propNode<double> hub, propNode<double> authority, propEdge<double> weight) {
  forall (v in g.nodes()) {
    v.hub = 0.0;
    for (w in g.neighbors(v)) {
      edge e = g.get_edge(v, w);
      v.hub += w.authority * e.weight;
    }
  }
}
