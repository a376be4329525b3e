// A maximal independent set in the order of the nodes: a node joins when no neighbor before it may.
Static independent(Graph g, propNode<bool> chosen) {
  propNode<int> state;
  g.attachNodeProperty(state = 0, chosen = False);
  int open = g.num_nodes();
  do {
    propNode<int> judged;
    judged = state;
    forall (v in g.nodes().filter(!state)) {
      int blocked = 0, waits = 0;
      for (u in g.inOutNbrs(v)) {
        if (u != v) {
          blocked += u.state == 1;
          waits += u.state == 0 && u < v;
        }
      }
      if (blocked) {
        v.judged = 2;
      } else if (!waits) {
        v.judged = 1;
        v.chosen = True;
      }
    }
    state = judged;
    open = 0;
    forall (v in g.nodes()) {
      open += !v.state;
    }
  } while (open);
}
