// while; sequential over nodes, so that degrees fall at once; peeling goes on within a round
function k_core(Graph g, propNode<int> core) {
  propNode<int> deg;
  g.attachNodeProperty(core = -1, deg = 0);
  forall (v in g.nodes()) {
    for (u in g.nodes_to(v).filter(u != v)) {
      v.deg += 1;
    }
  }
  int k = 0;
  int left = g.num_nodes();
  while (left > 0) {
    bool peeled = False;
    for (v in g.nodes()) {
      if (v.core == -1 && v.deg <= k) {
        v.core = k;
        left--;
        peeled = True;
        for (w in g.neighbors(v)) {
          if (w.core == -1) {
            w.deg--;
          }
        }
      }
    }
    if (!peeled) {
      k++;
    }
  }
}
