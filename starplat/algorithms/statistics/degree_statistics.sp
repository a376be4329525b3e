// Statistics of degrees: returns the least and the largest number of arcs that leave a node, their mean and variance.
//
// The variance is that of the whole population. In an undirected graph a loop is one arc. All are 0 without nodes.
function degree_statistics(Graph g) {
  int least = g.num_nodes() > 0 ? INF : 0;
  int largest = 0;
  double n = max(g.num_nodes(), 1);
  double mean = g.num_edges() / n;
  double squares = 0.0;
  forall (v in g.nodes()) {
    double away = g.degree(v) - mean;
    least = min(least, g.degree(v));
    largest = max(largest, g.degree(v));
    squares += away * away;
  }
  return least, largest, mean, squares / n;
}
