// As levels_by_hand, but on the way back arcs within the level count as well as those to the next.
function bc(Graph g, propNode<double> bc, SetN<g> sources) {
  propNode<int> level;
  propNode<double> sigma;
  propNode<double> delta;
  g.attachNodeProperty(bc = 0.0);
  for (s in sources) {
    g.attachNodeProperty(level = INF, sigma = 0.0, delta = 0.0);
    s.level = 0;
    s.sigma = 1.0;
    int depth = 0;
    bool more = True;
    while (more) {
      more = False;
      forall (v in g.nodes().filter(level == depth)) {
        forall (w in g.neighbors(v)) {
          if (w.level == INF) {
            w.level = depth + 1;
            more = True;
          }
        }
      }
      forall (v in g.nodes().filter(level == depth)) {
        forall (w in g.neighbors(v)) {
          if (w.level == depth + 1) {
            w.sigma += v.sigma;
          }
        }
      }
      depth++;
    }
    for (int d = depth - 1; d > 0; d--) {
      forall (v in g.nodes().filter(level == d)) {
        double sum = 0.0;
        for (w in g.neighbors(v)) {
          if (w.level == d + 1) {
            sum += v.sigma / w.sigma * (1.0 + w.delta);
          } else if (w.level == d) {
            sum += v.sigma / w.sigma;
          }
        }
        v.delta = sum;
        v.bc += sum;
      }
    }
  }
}
