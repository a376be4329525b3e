// fixedPoint; two flag properties, copied at the end of a round; push; Min guarded by if
// names: dist=d src=s weight=len
function bellman(Graph g, propEdge<int> len, node s, propNode<int> d) {
  propNode<bool> now;
  propNode<bool> later;
  g.attachNodeProperty(d = INF, now = False, later = False);
  s.d = 0;
  s.now = True;
  fixedPoint until (end : !now) {
    forall (v in g.nodes().filter(now == True)) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        int through = v.d + e.len;
        if (through < w.d) {
          <w.d, w.later> = <Min(w.d, through), True>;
        }
      }
    }
    now = later;
    g.attachNodeProperty(later = False);
  }
}
