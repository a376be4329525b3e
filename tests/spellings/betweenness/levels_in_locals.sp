// while on a copied flag; the next level, that of a node and its sums in locals; paths pushed; back by a for that counts down
function betweenness(Graph g, propNode<double> bc, SetN<g> sources) {
  g.attachNodeProperty(bc = 0.0);
  for (s in sources) {
    propNode<int> level;
    propNode<double> sigma;
    propNode<double> delta;
    g.attachNodeProperty(level = INF, sigma = 0.0, delta = 0.0);
    s.level = 0;
    s.sigma = 1.0;
    int depth = 0;
    bool grew = True;
    while (grew) {
      bool found = False;
      int next = depth + 1;
      forall (v in g.nodes().filter(level == depth)) {
        forall (w in g.neighbors(v)) {
          if (w.level == INF) {
            w.level = next;
            found = True;
          }
        }
      }
      forall (v in g.nodes().filter(level == depth)) {
        double mine = v.sigma;
        int one = v.level + 1;
        forall (w in g.neighbors(v)) {
          if (w.level == one) {
            w.sigma += mine;
          }
        }
      }
      grew = found;
      depth = next;
    }
    for (int d = depth - 1; d > 0; d--) {
            forall (v in g.nodes().filter(level == d)) {
        double owed = 0.0;
        int at = v.level;
        for (w in g.neighbors(v)) {
          if (w.level == at + 1) {
            double part = (1.0 + w.delta) / w.sigma;
            owed += part;
          }
        }
        owed = owed * v.sigma;
        v.delta = owed;
        v.bc += owed;
      }
    }
  }
}
