// do…while; two flag properties swapped; degrees by push; nodes enter the frontier as their degree falls to k
function cores(Graph g, propNode<int> core) {
  propNode<int> deg;
  propNode<bool> cur;
  propNode<bool> nxt;
  g.attachNodeProperty(deg = 0, core = -1, cur = False, nxt = False);
  forall (v in g.nodes()) {
    forall (w in g.neighbors(v)) {
      if (w != v) { w.deg += 1; }
    }
  }
  int k = 0;
  int unseen = g.num_nodes();
  do {
    int size = 0;
    forall (v in g.nodes().filter(core == -1)) {
      if (v.deg <= k) {
        v.cur = True;
        v.core = k;
        size++;
      }
    }
    unseen -= size;
    while (size > 0) {
      forall (v in g.nodes().filter(cur == True)) {
        forall (w in g.neighbors(v)) {
          if (w.core == -1) {
            w.deg -= 1;
          }
        }
      }
      size = 0;
      forall (w in g.nodes().filter(core == -1)) {
        if (w.deg <= k) {
          w.nxt = True;
          w.core = k;
          size++;
        }
      }
      unseen -= size;
      cur = nxt;
      g.attachNodeProperty(nxt = False);
    }
    k++;
  } while (unseen > 0);
}
