// do…while; two flag properties; push; the least parent of a round is carried: Min over the parents
// names: parent=tree
function reach(Graph g, propNode<bool> reached, propNode<node> tree, node src) {
  propNode<bool> cur;
  propNode<bool> nxt;
  propNode<int> low;
  g.attachNodeProperty(reached = False, cur = False, nxt = False, low = INF, tree = -1);
  src.reached = True;
  src.cur = True;
  bool go;
  do {
    forall (v in g.nodes().filter(cur == True)) {
      forall (w in g.neighbors(v)) {
        if (!w.reached) {
          w.low = Min(w.low, v);
          w.nxt = True;
        }
      }
    }
    go = False;
    forall (v in g.nodes().filter(nxt == True)) {
      v.reached = True;
      v.tree = v.low;
      go = True;
    }
    cur = nxt;
    g.attachNodeProperty(nxt = False);
  } while (go);
}
