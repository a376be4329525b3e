function f(Graph *g, int counts[]) {
  int[10] seen;
  double & x = counts;
}
