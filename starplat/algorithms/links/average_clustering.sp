// The average clustering coefficient: returns the mean over all nodes of the share of pairs of neighbors that are joined.
//
// A node of fewer than two neighbors counts as 0 (Watts and Strogatz). The graph is undirected, without loops and
// parallel edges. It is 0 without nodes.
function average_clustering(Graph g) {
  double sum = 0.0;
  forall (v in g.nodes()) {
    long joined = 0;
    for (u in g.neighbors(v)) {
      for (w in g.neighbors(v).filter(w > u)) {
        if (g.is_an_edge(u, w)) {
          joined += 1;
        }
      }
    }
    double degree = g.degree(v);
    double pairs = degree * (degree - 1.0) / 2.0;
    sum += pairs > 0.0 ? joined / pairs : 0.0;
  }
  double n = max(g.num_nodes(), 1);
  return sum / n;
}
