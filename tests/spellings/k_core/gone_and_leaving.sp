// while nodes remain; k jumps to the least degree that is left; flags of those gone and those leaving; push
// names: core=coreness
function coreness(Graph g, propNode<int> coreness) {
  propNode<int> deg;
  propNode<bool> gone;
  propNode<bool> leaving;
  g.attachNodeProperty(coreness = 0, deg = 0, gone = False, leaving = False);
  forall (v in g.nodes()) {
    forall (u in g.nodes_to(v)) {
      if (u != v) {
        v.deg += 1;
      }
    }
  }
  long remain = g.num_nodes();
  int k = 0;
  while (remain > 0) {
    int least = INF;
    forall (v in g.nodes().filter(gone == False)) {
      least = min(least, v.deg);
    }
    k = max(k, least);
    forall (v in g.nodes().filter(gone == False && deg <= k)) {
      v.coreness = k;
      v.leaving = True;
      v.gone = True;
      remain -= 1;
    }
    forall (v in g.nodes().filter(leaving)) {
      forall (w in g.neighbors(v)) {
        if (w != v) {
          w.deg -= 1;
        }
      }
    }
    g.attachNodeProperty(leaving = False);
  }
}
