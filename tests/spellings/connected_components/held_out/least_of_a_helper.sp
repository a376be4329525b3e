// do … while on a count; pull: a helper returns the least label of a row; both directions; labels are ints, copied at the end
// names: component=result
function least(Graph g, propNode<int> label, node v) {
  int best = v.label;
  for (u in g.neighbors(v)) {
    best = min(best, u.label);
  }
  for (u in g.nodes_to(v)) {
    best = min(best, u.label);
  }
  return best;
}

function components(Graph g, propNode<node> result) {
  propNode<int> label;
  forall (v in g.nodes()) {
    v.label = v;
  }
  int fallen;
  do {
    fallen = 0;
    forall (v in g.nodes()) {
      int now = least(g, label, v);
      if (now < v.label) {
        v.label = now;
        fallen++;
      }
    }
  } while (fallen > 0);
  forall (v in g.nodes()) {
    v.result = v.label;
  }
}
