// while; sequential loops all through; levels as numbers, -1 for none; delta pulled; the guard at the end
// names: bc=b sources=from_these
function brandes(Graph g, propNode<double> b, SetN<g> from_these) {
  for (v in g.nodes()) { v.b = 0.0; }
  for (s in from_these) {
    propNode<int> far;
    propNode<double> ways;
    propNode<double> part;
    for (v in g.nodes()) {
      v.far = -1;
      v.ways = 0.0;
      v.part = 0.0;
    }
    s.far = 0;
    s.ways = 1.0;
    int ring = 0;
    int found = 1;
    while (found > 0) {
      found = 0;
      for (v in g.nodes()) {
        if (v.far == ring) {
          for (w in g.neighbors(v)) {
            if (w.far == -1) {
              w.far = ring + 1;
              found++;
            }
            if (w.far == ring + 1) {
              w.ways += v.ways;
            }
          }
        }
      }
      ring++;
    }
    while (ring >= 0) {
      for (v in g.nodes()) {
        if (v.far == ring) {
          for (w in g.neighbors(v)) {
            if (w.far == ring + 1) {
              v.part += v.ways / w.ways * (1.0 + w.part);
            }
          }
          if (v != s) {
            v.b += v.part;
          }
        }
      }
      ring--;
    }
  }
}
