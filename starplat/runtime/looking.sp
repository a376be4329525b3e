// The largest number of arcs that leave a node, or enter one.
function by_rows(Graph g) {
  int most = 0;
  forall (v in g.nodes()) {
    most = max(most, max(g.count_outNbrs(v), g.count_inNbrs(v)));
  }
  return most;
}

// The same, where arcs that enter are not at hand as rows.
function by_columns(Graph g) {
  int most = 0;
  propNode<int> entering;
  g.attachNodeProperty(entering = 0);
  forall (v in g.nodes()) {
    forall (nbr in g.neighbors(v)) {
      nbr.entering += 1;
    }
  }
  forall (v in g.nodes()) {
    most = max(most, max(g.count_outNbrs(v), v.entering));
  }
  return most;
}
