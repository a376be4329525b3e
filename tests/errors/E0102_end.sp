function f(Graph g) {
  if (True) {
    return 1;
}
