// distances by Min first, in a fixedPoint; then sigma level by level; then back, each node asked for its distance
function bc(Graph g, propNode<double> bc, SetN<g> sources) {
  g.attachNodeProperty(bc = 0.0);
  for (s in sources) {
    propNode<int> dist;
    propNode<bool> active;
    propNode<double> sigma;
    propNode<double> delta;
    g.attachNodeProperty(dist = INF, active = False, sigma = 0.0, delta = 0.0);
    s.dist = 0;
    s.active = True;
    s.sigma = 1.0;
    fixedPoint until (done : !active) {
      forall (v in g.nodes().filter(active)) {
        forall (w in g.neighbors(v)) {
          <w.dist, w.active> = <Min(w.dist, v.dist + 1), True>;
        }
      }
    }
    int far = 0;
    forall (v in g.nodes().filter(dist < INF)) {
      far = Max(far, v.dist);
    }
    for (int k = 0; k < far; k++) {
      forall (v in g.nodes().filter(dist == k)) {
        forall (w in g.neighbors(v).filter(w.dist == k + 1)) {
          w.sigma += v.sigma;
        }
      }
    }
    for (int k = far; k > 0; k--) {
      forall (w in g.nodes().filter(dist == k)) {
        w.bc += w.delta;
        forall (v in g.nodes_to(w).filter(v.dist == k - 1)) {
          v.delta += v.sigma * (1.0 + w.delta) / w.sigma;
        }
      }
    }
  }
}
