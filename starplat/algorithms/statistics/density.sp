// The density of a graph: returns its arcs as a share of those that it could have, one between any two of its nodes.
//
// It is 0 for fewer than two nodes. Directed or not; loops and parallel arcs count, so that with them it may exceed 1.
function density(Graph g) {
  double n = g.num_nodes();
  double arcs = g.num_edges();
  return n > 1.0 ? arcs / (n * (n - 1.0)) : 0.0;
}
