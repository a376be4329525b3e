// counted loop with break; two flag properties, taken over node by node; push; a filter on the neighbor
// names: src=origin
function reach(Graph g, propNode<bool> reached, node origin) {
  propNode<bool> here;
  propNode<bool> next;
  g.attachNodeProperty(here = False, next = False, reached = False);
  origin.here = True;
  for (int i = 0; i <= g.num_nodes(); i++) {
    bool some = False;
    forall (v in g.nodes().filter(here == True)) {
      v.reached = True;
      some = True;
    }
    if (!some) {
      break;
    }
    forall (v in g.nodes().filter(here == True)) {
      forall (w in g.neighbors(v).filter(reached == False)) {
        w.next = True;
      }
    }
    forall (v in g.nodes()) {
      v.here = v.next;
      v.next = False;
    }
  }
}
