// while; two flag properties; push; a neighbor that is not reached is marked, and takes the node as its parent
// names: parent=tree
function reach(Graph g, propNode<bool> reached, propNode<node> tree, node src) {
  propNode<bool> now;
  propNode<bool> next;
  g.attachNodeProperty(reached = False, tree = -1, now = False, next = False);
  src.reached = True;
  src.now = True;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(now)) {
      forall (w in g.neighbors(v)) {
        if (!w.reached) {
          w.reached = True;
          w.tree = v;
          w.next = True;
          more = True;
        }
      }
    }
    now = next;
    g.attachNodeProperty(next = False);
  }
}
