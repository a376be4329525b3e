function f(Graph g, propNode<double> rank, node a, node b) {
  int e = g.get_edge(a, b);
  return e.weight + a.rank.weight;
}
