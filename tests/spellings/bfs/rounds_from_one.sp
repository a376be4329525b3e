// for with a counter, left by break; pull; -1 where a node is not reached; temporaries; the level is a local until the end
// names: level=hops src=root
// unreached: -1
function hop_counts(Graph net, propNode<int> hops, node root) {
  propNode<int> found_at;
  forall (x in net.nodes()) {
    x.found_at = -1;
  }
  root.found_at = 0;
  int total = net.num_nodes();
  for (int round = 1; round <= total; round++) {
    bool any = False;
    forall (x in net.nodes().filter(found_at < 0)) {
      bool near = False;
      for (y in net.nodes_to(x)) {
        if (y.found_at == round - 1) {
          near = True;
        }
      }
      if (near) {
        x.found_at = round;
        any = True;
      }
    }
    if (!any) {
      break;
    }
  }
  hops = found_at;
}
