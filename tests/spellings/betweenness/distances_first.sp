// fixedPoint with Min for the distances; then sigma level by level by pull; then delta; helper functions
// names: bc=c
function distances(Graph g, propNode<int> d, node s) {
  propNode<bool> m;
  g.attachNodeProperty(d = INF, m = False);
  s.d = 0;
  s.m = True;
  fixedPoint until (f : !m) {
    forall (v in g.nodes().filter(m == True)) {
      forall (w in g.neighbors(v)) {
        <w.d, w.m> = <Min(w.d, v.d + 1), True>;
      }
    }
  }
}
function farthest(Graph g, propNode<int> d) {
  int far = 0;
  forall (v in g.nodes()) {
    if (v.d != INF) {
      far = Max(far, v.d);
    }
  }
  return far;
}
function main(Graph g, propNode<double> c, SetN<g> sources) {
  propNode<int> d;
  propNode<double> sigma;
  propNode<double> delta;
  g.attachNodeProperty(c = 0.0);
  for (s in sources) {
    distances(g, d, s);
    int far = farthest(g, d);
    g.attachNodeProperty(sigma = 0.0, delta = 0.0);
    s.sigma = 1.0;
    for (int k = 1; k <= far; k++) {
      forall (v in g.nodes().filter(d == k)) {
        for (u in g.nodes_to(v)) {
          if (u.d == k - 1) {
            v.sigma += u.sigma;
          }
        }
      }
    }
    for (int k = far; k >= 1; k--) {
      forall (v in g.nodes().filter(d == k)) {
        for (w in g.neighbors(v)) {
          if (w.d == k + 1) {
            v.delta += v.sigma * (1.0 + w.delta) / w.sigma;
          }
        }
        v.c += v.delta;
      }
    }
  }
}
