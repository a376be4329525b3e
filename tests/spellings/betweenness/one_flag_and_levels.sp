// fixedPoint on one flag beside the level; sigma in the same row; dependencies pushed back; the source left out at the end
// names: bc=centrality sources=roots
function bc(Graph g, propNode<double> centrality, SetN<g> roots) {
  g.attachNodeProperty(centrality = 0.0);
  for (r in roots) {
    propNode<int> dist;
    propNode<double> number;
    propNode<double> dependency;
    propNode<bool> now;
    g.attachNodeProperty(dist = INF, number = 0.0, dependency = 0.0, now = False);
    r.dist = 0;
    r.number = 1.0;
    r.now = True;
    int last = 0;
    bool done = False;
    fixedPoint until (done : !now) {
      forall (u in g.nodes().filter(now == True)) {
        forall (w in g.neighbors(u)) {
          if (w.dist == INF) {
            w.dist = last + 1;
            w.now = True;
          }
          if (w.dist == last + 1) {
            w.number += u.number;
          }
        }
      }
      last++;
    }
    for (int d = last; d > 0; d--) {
      forall (w in g.nodes().filter(dist == d)) {
        forall (u in g.nodes_to(w)) {
          if (u.dist == d - 1) {
            u.dependency += u.number / w.number * (1.0 + w.dependency);
          }
        }
      }
    }
    forall (v in g.nodes()) {
      if (v != r) {
        v.centrality += v.dependency;
      }
    }
  }
}
