function f(Graph g, propNode<int> rank, propNode<bool> seen, long many) {
  int arcs = g.num_edges();
  int nodes = Count(seen);
  int total = 0;
  total += many;
  total = total + many - nodes;
  node last = many;
  last.rank = arcs;
  return total;
}
