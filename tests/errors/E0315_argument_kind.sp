function clear(Graph g, propNode<int> p, int & rounds) {
  g.attachNodeProperty(p = 0);
  rounds = 0;
}
function main(Graph g, propNode<float> rank) {
  int rounds = 1;
  clear(g, rank, rounds + 1);
  return rounds;
}
