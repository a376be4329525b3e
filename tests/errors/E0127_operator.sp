function f(Graph g, bool done, int n) {
  int x = n ** 2 + n >> 1;
  if (not done and n <> 0) {
    x = n // 2;
    x = x;
  }
}
