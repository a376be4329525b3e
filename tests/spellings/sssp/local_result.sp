// while; the distance is a local, copied at the end; two flag properties, taken over node by node; push; Min
// names: dist=result
function sssp(Graph g, propNode<int> result, propEdge<int> weight, node src) {
  propNode<int> d;
  propNode<bool> q;
  propNode<bool> qn;
  g.attachNodeProperty(d = INF, q = False, qn = False);
  src.d = 0;
  src.q = True;
  int size = 1;
  while (size > 0) {
    forall (v in g.nodes().filter(q)) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        <w.d, w.qn> = <Min(w.d, v.d + e.weight), True>;
      }
    }
    size = 0;
    forall (v in g.nodes()) {
      v.q = v.qn;
      v.qn = False;
      if (v.q) {
        size += 1;
      }
    }
  }
  result = d;
}
