function f(Graph g, node src) {
  if (g.count_outNbrs(src) > 0) {
    return 1;
  }
}
