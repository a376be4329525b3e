// do…while; levels and sigma pulled by nodes that have no level; delta pulled; a while counts the levels down
// names: bc=between
function bc(Graph g, propNode<double> between, SetN<g> sources) {
  g.attachNodeProperty(between = 0.0);
  for (s in sources) {
    propNode<int> lev;
    propNode<double> cnt;
    propNode<double> dep;
    g.attachNodeProperty(lev = -1, cnt = 0.0, dep = 0.0);
    s.lev = 0;
    s.cnt = 1.0;
    int l = 0;
    bool grown;
    do {
      grown = False;
      forall (v in g.nodes().filter(lev == -1)) {
        double c = 0.0;
        for (u in g.nodes_to(v)) {
          if (u.lev == l) {
            c += u.cnt;
          }
        }
        if (c > 0.0) {
          v.cnt = c;
          v.lev = l + 1;
          grown = True;
        }
      }
      l++;
    } while (grown);
    while (l > 0) {
      l--;
      forall (v in g.nodes().filter(lev == l)) {
        for (w in g.neighbors(v).filter(lev == l + 1)) {
          v.dep += v.cnt / w.cnt * (1.0 + w.dep);
        }
        if (v != s) {
          v.between += v.dep;
        }
      }
    }
  }
}
