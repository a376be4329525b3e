// while; the width is a local, copied at the end; one flag property cleared by hand; push; Max; order of statements
// names: width=result
function widest(Graph g, propNode<int> result, propEdge<int> weight, node src) {
  propNode<int> width;
  propNode<bool> q;
  propNode<bool> r;
  g.attachNodeProperty(r = False, q = False, width = 0);
  src.q = True;
  src.width = INF;
  int size = 1;
  while (size != 0) {
    forall (v in g.nodes().filter(q == True)) {
      int mine = v.width;
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        <w.width, w.r> = <Max(w.width, min(mine, e.weight)), True>;
      }
    }
    size = 0;
    forall (v in g.nodes()) {
      if (v.r) {
        size++;
      }
      v.q = v.r;
      v.r = False;
    }
  }
  forall (v in g.nodes()) {
    v.result = v.width;
  }
}
