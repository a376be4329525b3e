// do…while; two flag properties; push; Max under an if; the scalar is set with the flag
// names: width=cap src=s weight=capacity
function bottleneck(Graph g, node s, propEdge<int> capacity, propNode<int> cap) {
  propNode<bool> cur;
  propNode<bool> nxt;
  g.attachNodeProperty(cap = 0, cur = False, nxt = False);
  s.cap = INF;
  s.cur = True;
  bool again;
  do {
    again = False;
    forall (v in g.nodes().filter(cur == True)) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        int offer = min(e.capacity, v.cap);
        if (w.cap < offer) {
          <w.cap, w.nxt> = <Max(w.cap, offer), True>;
          again = True;
        }
      }
    }
    cur = nxt;
    g.attachNodeProperty(nxt = False);
  } while (again);
}
