// while (changed > 0); a tentative value for each node, taken over at the end of a round where it is less; push
// names: dist=far src=from
function shortest(Graph g, propEdge<int> weight, propNode<int> far, node from) {
  propNode<int> tentative;
  propNode<bool> lively;
  g.attachNodeProperty(far = INF, tentative = INF, lively = False);
  from.far = 0;
  from.tentative = 0;
  from.lively = True;
  long changed = 1;
  while (changed > 0) {
    forall (u in g.nodes().filter(lively == True)) {
      forall (w in g.neighbors(u)) {
        edge e = g.get_edge(u, w);
        w.tentative = Min(w.tentative, u.far + e.weight);
      }
    }
    changed = 0;
    forall (v in g.nodes()) {
      v.lively = v.tentative < v.far;
      if (v.lively) {
        v.far = v.tentative;
        changed += 1;
      }
    }
  }
}
