// fixedPoint on two flags beside the level; sigma pulled by the new ones; a for counts down
function betweenness(Graph g, propNode<double> bc, SetN<g> sources) {
  g.attachNodeProperty(bc = 0.0);
  for (src in sources) {
    propNode<int> level;
    propNode<double> sigma;
    propNode<double> delta;
    propNode<bool> front;
    propNode<bool> front_next;
    g.attachNodeProperty(level = INF, sigma = 0.0, delta = 0.0, front = False, front_next = False);
    src.level = 0;
    src.front = True;
    src.sigma = 1.0;
    int depth = 0;
    bool finished = False;
    fixedPoint until (finished : !front) {
      forall (v in g.nodes().filter(front)) {
        forall (w in g.neighbors(v)) {
          if (w.level == INF) {
            w.level = depth + 1;
            w.front_next = True;
          }
        }
      }
      forall (w in g.nodes().filter(front_next)) {
        for (u in g.nodes_to(w)) {
          if (u.level == depth) {
            w.sigma += u.sigma;
          }
        }
      }
      front = front_next;
      g.attachNodeProperty(front_next = False);
      depth++;
    }
    for (int d = depth; d > 0; d--) {
      forall (v in g.nodes().filter(level == d)) {
        for (w in g.neighbors(v)) {
          if (w.level == d + 1) {
            v.delta += v.sigma / w.sigma * (1.0 + w.delta);
          }
        }
        v.bc += v.delta;
      }
    }
  }
}
