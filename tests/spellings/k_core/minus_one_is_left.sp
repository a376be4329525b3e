// do … while; -1 says that a node is left; degrees counted anew by those left; k counted by a for-like while
function cores(Graph g, propNode<int> core) {
  g.attachNodeProperty(core = -1);
  int k = 0;
  long left = g.num_nodes();
  while (left > 0) {
    propNode<bool> weak;
    g.attachNodeProperty(weak = False);
    forall (v in g.nodes().filter(core == -1)) {
      int with_me = 0;
      for (u in g.nodes_to(v)) {
        if (u != v && u.core == -1) {
          with_me++;
        }
      }
      v.weak = with_me <= k;
    }
    long gone = 0;
    forall (v in g.nodes().filter(weak)) {
      v.core = k;
      gone++;
    }
    if (gone == 0) {
      k++;
    } else {
      left = left - gone;
    }
  }
}
