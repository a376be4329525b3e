// iterateInBFS both ways; the way back pushes a share to the parents
function bc_push_back(Graph g, propNode<double> bc, SetN<g> sources) {
  g.attachNodeProperty(bc = 0.0);
  for (s in sources) {
    propNode<double> paths;
    propNode<double> owed;
    g.attachNodeProperty(paths = 0.0, owed = 0.0);
    s.paths = 1.0;
    iterateInBFS (v in g.nodes() from s) {
      forall (w in g.neighbors(v)) {
        w.paths += v.paths;
      }
    }
    iterateInReverse (v != s) {
      double coefficient = (1.0 + v.owed) / v.paths;
      forall (p in g.nodes_to(v)) {
        p.owed += p.paths * coefficient;
      }
      v.bc += v.owed;
    }
  }
}
