// do … while on a count; each unreached node looks for a parent and breaks; the round is one ahead of the level
// names: level=hops src=origin
function hops_from(Graph g, propNode<int> hops, node origin) {
  forall (v in g.nodes()) {
    if (v == origin) {
      v.hops = 0;
    } else {
      v.hops = INF;
    }
  }
  int round = 1;
  long joined = 0;
  do {
    joined = 0;
    forall (v in g.nodes().filter(hops == INF)) {
      bool near = False;
      for (u in g.nodes_to(v)) {
        if (u.hops == round - 1) {
          near = True;
          break;
        }
      }
      if (near) {
        v.hops = round;
        joined++;
      }
    }
    round++;
  } while (joined != 0);
}
