function grow(int& n) {
  n += 1;
  return n;
}

function f(Graph g, propNode<int> p) {
  int n = 0;
  assert(grow(n) > 0, "grows");
  print(n, grow(n), p[0]);
  return n;
}
