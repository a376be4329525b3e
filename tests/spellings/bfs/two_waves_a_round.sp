// while; two flag properties that take turns, two half rounds in the body; push; if; the depth is counted twice a round
// names: level=hop src=start
function hops(Graph g, propNode<int> hop, node start) {
  propNode<bool> here;
  propNode<bool> there;
  g.attachNodeProperty(hop = INF, here = False, there = False);
  start.hop = 0;
  start.here = True;
  int depth = 0;
  bool busy = True;
  while (busy) {
    busy = False;
    depth += 1;
    forall (v in g.nodes().filter(here)) {
      v.here = False;
      forall (w in g.neighbors(v)) {
        if (w.hop == INF) {
          w.hop = depth;
          w.there = True;
          busy = True;
        }
      }
    }
    depth += 1;
    forall (v in g.nodes().filter(there)) {
      v.there = False;
      forall (w in g.neighbors(v)) {
        if (w.hop == INF) {
          w.hop = depth;
          w.here = True;
          busy = True;
        }
      }
    }
  }
}
