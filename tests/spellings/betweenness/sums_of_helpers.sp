// while; level by if; sigma and delta are sums that helper functions return; the level of the node is compared
function paths_into(Graph g, node v, propNode<int> level, propNode<double> sigma) {
  double s = 0.0;
  for (u in g.nodes_to(v)) {
    if (u.level == v.level - 1) {
      s += u.sigma;
    }
  }
  return s;
}
function dependency(Graph g, node v, propNode<int> level, propNode<double> sigma, propNode<double> delta) {
  double s = 0.0;
  for (w in g.neighbors(v)) {
    if (w.level == v.level + 1) {
      s += v.sigma / w.sigma * (1.0 + w.delta);
    }
  }
  return s;
}
function bc(Graph g, propNode<double> bc, SetN<g> sources) {
  g.attachNodeProperty(bc = 0.0);
  for (src in sources) {
    propNode<int> level;
    propNode<double> sigma;
    propNode<double> delta;
    g.attachNodeProperty(level = INF, sigma = 0.0, delta = 0.0);
    src.level = 0;
    src.sigma = 1.0;
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
      depth++;
      forall (v in g.nodes().filter(level == depth)) {
        v.sigma = paths_into(g, v, level, sigma);
      }
    }
    while (depth > 0) {
      forall (v in g.nodes().filter(level == depth)) {
        v.delta = dependency(g, v, level, sigma, delta);
        v.bc += v.delta;
      }
      depth--;
    }
  }
}
