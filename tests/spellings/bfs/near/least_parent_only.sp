// As a search in which each unreached node looks for a parent, but it asks its least in-neighbor only.
// names: level=hops src=origin
function hops_from(Graph g, propNode<int> hops, node origin) {
  g.attachNodeProperty(hops = INF);
  origin.hops = 0;
  int round = 1;
  long joined = 0;
  do {
    joined = 0;
    forall (v in g.nodes().filter(hops == INF)) {
      bool near = False;
      for (u in g.nodes_to(v)) {
        if (u.hops == round - 1) {
          near = True;
        }
        break;
      }
      if (near) {
        v.hops = round;
        joined++;
      }
    }
    round++;
  } while (joined != 0);
}
