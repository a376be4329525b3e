int f(Graph g) {
  return 1;
}
void h(Graph g) {
}
