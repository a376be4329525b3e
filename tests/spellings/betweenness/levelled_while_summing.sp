// while; a fresh flag property each round; who is fresh takes its level and pulls sigma; a for counts down
function betweenness(Graph g, propNode<double> bc, SetN<g> sources) {
  g.attachNodeProperty(bc = 0.0);
  for (src in sources) {
    propNode<int> level;
    propNode<double> sigma;
    propNode<double> delta;
    propNode<bool> active;
    propNode<bool> fresh;
    g.attachNodeProperty(level = -1, sigma = 0.0, delta = 0.0, active = False);
    src.level = 0;
    src.active = True;
    src.sigma = 1.0;
    int depth = 0;
    bool any = True;
    while (any) {
      any = False;
      g.attachNodeProperty(fresh = False);
      forall (v in g.nodes().filter(active)) {
        for (w in g.neighbors(v)) {
          if (w.level < 0) {
            w.fresh = True;
            any = True;
          }
        }
      }
      forall (w in g.nodes().filter(fresh)) {
        double sum = 0.0;
        w.level = depth + 1;
        for (u in g.nodes_to(w)) {
          if (u.active) {
            sum += u.sigma;
          }
        }
        w.sigma = sum;
      }
      active = fresh;
      depth += 1;
    }
    for (int d = depth - 1; d > 0; d--) {
      forall (v in g.nodes().filter(level == d)) {
        double sum = 0.0;
        for (w in g.neighbors(v)) {
          if (w.level == d + 1) {
            sum += (1.0 + w.delta) / w.sigma;
          }
        }
        v.delta = sum * v.sigma;
        v.bc += v.delta;
      }
    }
  }
}
