function f(Graph g, propNode<int> rank, node src) {
  int next = 0;
  for (v in g.nodes()) {
    v.rank = next++ * 2 + next;
  }
  int i = 0;
  rank[i] = i++;
  if (i++ < 3 && i > 1) {
    i = ++next > i ? next : 0;
  }
}
