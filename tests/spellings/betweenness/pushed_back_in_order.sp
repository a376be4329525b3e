// while; level and sigma in one row, in order; back by a while that counts down, pushed to the parents in order
function bc_push_back(Graph g, propNode<double> bc, SetN<g> sources) {
  g.attachNodeProperty(bc = 0.0);
  for (s in sources) {
    propNode<double> sigma;
    propNode<double> delta;
    propNode<int> level;
    g.attachNodeProperty(sigma = 0.0, delta = 0.0, level = -1);
    s.sigma = 1.0;
    s.level = 0;
    int depth = 0;
    bool more = True;
    while (more) {
      more = False;
      forall (v in g.nodes().filter(level == depth)) {
        for (w in g.neighbors(v)) {
          if (w.level == -1) {
            w.level = depth + 1;
            more = True;
          }
          if (w.level == depth + 1) {
            w.sigma += v.sigma;
          }
        }
      }
      depth++;
    }
    while (depth > 0) {
      forall (w in g.nodes().filter(level == depth)) {
        for (v in g.nodes_to(w)) {
          if (v.level == depth - 1) {
            v.delta += v.sigma / w.sigma * (1.0 + w.delta);
          }
        }
        w.bc += w.delta;
      }
      depth--;
    }
  }
}
