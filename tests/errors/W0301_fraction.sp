function f(Graph g) {
  double mean = 1.0 * g.num_edges() / g.num_nodes();
  int degree = mean;
  return degree;
}
