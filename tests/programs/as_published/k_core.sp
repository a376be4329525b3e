// Core numbers by peeling; how many are left is a condition.
Static cores(Graph g, propNode<int> core) {
  propNode<int> degree;
  propNode<bool> gone, peeled;
  g.attachNodeProperty(core = 0, degree = 0, gone = False, peeled = False);
  forall (v in g.nodes()) {
    for (u in g.nodes_to(v)) {
      v.degree += u != v;
    }
  }
  int k = 0, left = g.num_nodes();
  while (left) {
    int now = 0;
    forall (v in g.nodes().filter(!gone && degree <= k)) {
      v.core = k;
      v.gone = True;
      v.peeled = True;
      now++;
    }
    forall (v in g.nodes().filter(peeled)) {
      v.peeled = False;
      for (w in g.neighbors(v)) {
        if (w != v) {
          w.degree--;
        }
      }
    }
    left = left - now;
    if (!now) {
      k++;
    }
  }
}
