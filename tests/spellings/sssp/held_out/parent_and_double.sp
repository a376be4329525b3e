// do…while; Min that carries the parent; two flag properties; the weight doubled by adding it twice
// names: dist=total parent=back
// scale: 2
function sssp(Graph g, propNode<int> total, propNode<node> back, propEdge<int> weight, node src) {
  propNode<bool> a;
  propNode<bool> b;
  g.attachNodeProperty(total = INF, back = -1, a = False, b = False);
  src.total = 0;
  src.a = True;
  bool busy = True;
  do {
    busy = False;
    forall (v in g.nodes().filter(a == True)) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        <w.total, w.back, w.b> = <Min(w.total, v.total + e.weight + e.weight), v, True>;
      }
    }
    a = b;
    g.attachNodeProperty(b = False);
    forall (v in g.nodes().filter(a == True)) {
      busy = True;
    }
  } while (busy);
}
