// counted loop that a flag ends; two flag properties, one declared in every round; push; if on a neighbor
// names: src=s
function reach(Graph g, propNode<bool> reached, node s) {
  propNode<bool> here;
  g.attachNodeProperty(reached = False, here = False);
  s.reached = True;
  s.here = True;
  bool more = True;
  for (int round = 0; round < g.num_nodes() && more; round++) {
    propNode<bool> there;
    g.attachNodeProperty(there = False);
    more = False;
    forall (v in g.nodes().filter(here)) {
      forall (w in g.neighbors(v)) {
        if (!w.reached) {
          w.reached = True;
          w.there = True;
          more = True;
        }
      }
    }
    here = there;
  }
}
