// for over rounds, left by break; a node without a level sums what its parents have; shares in a local; int levels from 1
// names: bc=middle sources=roots
function between(Graph g, propNode<double> middle, SetN<g> roots) {
  g.attachNodeProperty(middle = 0.0);
  int most = g.num_nodes();
  for (root in roots) {
    propNode<int> shell;
    propNode<double> routes;
    propNode<double> load;
    g.attachNodeProperty(load = 0.0, routes = 0.0, shell = 0);
    root.routes = 1.0;
    root.shell = 1;
    int outer = 1;
    for (int round = 1; round <= most; round++) {
      bool any = False;
      forall (v in g.nodes().filter(shell == 0)) {
        double from_parents = 0.0;
        for (u in g.nodes_to(v)) {
          if (u.shell == round) {
            from_parents += u.routes;
          }
        }
        if (from_parents > 0.0) {
          v.routes = from_parents;
          v.shell = round + 1;
          any = True;
        }
      }
      if (!any) {
        break;
      }
      outer = round + 1;
    }
    int at = outer - 1;
    while (at > 0) {
      forall (v in g.nodes().filter(shell == at)) {
        double mine = 0.0;
        for (w in g.neighbors(v).filter(w.shell == at + 1)) {
          mine += (1.0 + w.load) / w.routes;
        }
        v.load = mine * v.routes;
        if (v != root) {
          v.middle += v.load;
        }
      }
      at = at - 1;
    }
  }
}
