// while with an inner do…while for each k; degrees by push; < k in place of <= k; core is k - 1
// names: core=coreness
function k_core(Graph g, propNode<int> coreness) {
  propNode<int> left;
  propNode<bool> gone;
  propNode<bool> going;
  g.attachNodeProperty(left = 0, gone = False, going = False);
  forall (e in g.edges()) {
    node to = e.destination;
    if (e.source != to) {
      to.left += 1;
    }
  }
  long remaining = g.num_nodes();
  int k = 1;
  while (remaining > 0) {
    long peeled;
    do {
      peeled = 0;
      forall (v in g.nodes().filter(gone == False)) {
        if (v.left < k) {
          v.coreness = k - 1;
          v.going = True;
          peeled++;
        }
      }
      forall (v in g.nodes().filter(going)) {
        v.gone = True;
        v.going = False;
        forall (w in g.neighbors(v).filter(w != v)) {
          w.left += -1;
        }
      }
      remaining -= peeled;
    } while (peeled > 0);
    k = k + 1;
  }
}
