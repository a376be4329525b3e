// while; loops over edges, forward and back; the frontier is a level; +=
function bc(Graph g, propNode<double> bc, SetN<g> sources) {
  propNode<int> level;
  propNode<double> sigma;
  propNode<double> delta;
  g.attachNodeProperty(bc = 0.0);
  for (s in sources) {
    g.attachNodeProperty(level = INF, sigma = 0.0, delta = 0.0);
    s.level = 0;
    s.sigma = 1.0;
    int d = 0;
    int grown = 1;
    while (grown > 0) {
      grown = 0;
      forall (e in g.edges()) {
        node a = e.source;
        node b = e.destination;
        if (a.level == d && b.level == INF) {
          b.level = d + 1;
          grown += 1;
        }
      }
      forall (e in g.edges()) {
        node a = e.source;
        node b = e.destination;
        if (a.level == d && b.level == d + 1) {
          b.sigma += a.sigma;
        }
      }
      d += 1;
    }
    while (d > 0) {
      d -= 1;
      forall (e in g.edges()) {
        node a = e.source;
        node b = e.destination;
        if (a.level == d && b.level == d + 1) {
          a.delta += a.sigma / b.sigma * (1.0 + b.delta);
        }
      }
    }
    forall (v in g.nodes().filter(v != s)) {
      v.bc += v.delta;
    }
  }
}
