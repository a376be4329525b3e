// while; each node counts down its own degree by pull from nodes peeled this round; the flag is a level of peeling
// names: core=level
function k_core(Graph g, propNode<int> level) {
  propNode<int> deg;
  propNode<bool> peeled;
  g.attachNodeProperty(level = -1, deg = 0);
  forall (v in g.nodes()) {
    for (u in g.nodes_to(v)) {
      if (u != v) v.deg++;
    }
  }
  int k = 0;
  int left = g.num_nodes();
  while (left > 0) {
    int n = 0;
    g.attachNodeProperty(peeled = False);
    forall (v in g.nodes().filter(level == -1)) {
      if (v.deg <= k) {
        v.level = k;
        v.peeled = True;
        n++;
      }
    }
    forall (v in g.nodes().filter(level == -1)) {
      int lost = 0;
      for (u in g.nodes_to(v)) {
        if (u.peeled) {
          lost += 1;
        }
      }
      v.deg -= lost;
    }
    left -= n;
    if (n == 0) {
      k++;
    }
  }
}
