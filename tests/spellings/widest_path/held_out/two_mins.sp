// do…while; two flag properties; push; the least of three in the value; Count ends the loop; the parent is carried
// names: parent=prev width=wide
function widest_tree(Graph g, propNode<int> wide, propNode<node> prev, propEdge<int> weight, node src) {
  int most = g.maxWt();
  propNode<bool> now;
  propNode<bool> then;
  g.attachNodeProperty(wide = 0, prev = -1, now = False, then = False);
  src.wide = INF;
  src.now = True;
  long marked = 1;
  do {
    forall (v in g.nodes().filter(now == True)) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        <w.wide, w.prev, w.then> = <Max(w.wide, min(min(v.wide, most), e.weight)), v, True>;
      }
    }
    now = then;
    g.attachNodeProperty(then = False);
    marked = Count(now);
  } while (marked > 0);
}
