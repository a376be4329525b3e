// while on a flag; levels from 1 with 0 for none; paths pushed as levels are found; shares pulled level by level, for downwards
// names: bc=total sources=seeds
function brandes(Graph g, propNode<double> total, SetN<g> seeds) {
  g.attachNodeProperty(total = 0.0);
  for (s in seeds) {
    propNode<int> ring;
    propNode<double> ways;
    propNode<double> owed;
    g.attachNodeProperty(ring = 0, ways = 0.0, owed = 0.0);
    s.ring = 1;
    s.ways = 1.0;
    int last = 1;
    bool grew = True;
    while (grew) {
      grew = False;
      forall (v in g.nodes().filter(ring == last)) {
        forall (w in g.neighbors(v)) {
          if (w.ring == 0) {
            w.ring = last + 1;
            grew = True;
          }
        }
      }
      forall (v in g.nodes().filter(ring == last)) {
        forall (w in g.neighbors(v)) {
          if (w.ring == last + 1) {
            w.ways += v.ways;
          }
        }
      }
      last++;
    }
    for (int k = last; k >= 1; k--) {
      forall (v in g.nodes().filter(ring == k)) {
        for (w in g.neighbors(v)) {
          if (w.ring == k + 1) {
            v.owed += v.ways / w.ways * (1.0 + w.owed);
          }
        }
        if (v != s) {
          v.total += v.owed;
        }
      }
    }
  }
}
