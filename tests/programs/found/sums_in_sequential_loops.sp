// Sums, counts and sizes were worked out once before a sequential loop that changes what they are of.
function total(Graph g, propNode<int> a) {
  return Sum(a);
}

function entry(Graph g, propNode<int> a, propNode<bool> f, SetN<g> s, node src) {
  long n = 0;
  g.attachNodeProperty(a = 0);
  for (int i = 0; i < 3; i++) {
    src.a += 1;
    n = n * 10 + Sum(a) + total(g, a);
  }
  for (v in g.nodes()) {
    s.add(v);
    n = n + s.size();
  }
  int i = 0;
  while (Count(f) < 1 && i < 5) {
    f[src] = i > 1;
    i += 1;
    n += 1000;
  }
  return n;
}
