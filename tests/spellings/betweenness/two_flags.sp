// do…while; two flag properties beside the level; sigma pushed with the flag; delta pushed to the parents level by level
function bc(Graph g, propNode<double> bc, SetN<g> sources) {
  g.attachNodeProperty(bc = 0.0);
  for (s in sources) {
    propNode<int> dist;
    propNode<double> sigma;
    propNode<double> delta;
    propNode<bool> cur;
    propNode<bool> nxt;
    g.attachNodeProperty(dist = INF, sigma = 0.0, delta = 0.0, cur = False, nxt = False);
    s.dist = 0;
    s.sigma = 1.0;
    s.cur = True;
    int last = 0;
    int size = 0;
    do {
      forall (v in g.nodes().filter(cur == True)) {
        forall (w in g.neighbors(v)) {
          if (w.dist > last) {
            w.nxt = True;
            w.sigma += v.sigma;
          }
        }
      }
      last++;
      size = 0;
      forall (v in g.nodes()) {
        v.cur = v.nxt;
        v.nxt = False;
        if (v.cur) {
          v.dist = last;
          size++;
        }
      }
    } while (size > 0);
    for (int k = last; k > 0; k = k - 1) {
      forall (v in g.nodes().filter(dist == k)) {
        v.bc += v.delta;
        forall (u in g.nodes_to(v)) {
          if (u.dist == k - 1) {
            u.delta += u.sigma / v.sigma * (1.0 + v.delta);
          }
        }
      }
    }
  }
}
