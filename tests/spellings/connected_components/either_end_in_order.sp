// while over a negated flag; sequential loops; if in place of Min; both directions
// names: component=group
function groups(Graph g, propNode<int> group) {
  for (v in g.nodes()) {
    v.group = v;
  }
  bool same = False;
  while (!same) {
    same = True;
    for (v in g.nodes()) {
      for (w in g.neighbors(v)) {
        if (w.group > v.group) {
          w.group = v.group;
          same = False;
        } else if (w.group < v.group) {
          v.group = w.group;
          same = False;
        }
      }
    }
  }
}
