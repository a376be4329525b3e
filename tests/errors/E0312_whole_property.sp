function f(Graph g, propNode<int> dist) {
  dist = INF;
  dist += 1;
}
