// fixedPoint; one flag property; push; Max that carries the parent
// names: parent=from_whom
function widest(Graph g, propNode<int> width, propNode<node> from_whom, propEdge<int> weight, node src) {
  propNode<bool> on;
  g.attachNodeProperty(width = 0, from_whom = -1, on = False);
  src.width = INF;
  src.on = True;
  fixedPoint until (off : !on) {
    forall (v in g.nodes().filter(on)) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        int through = min(v.width, e.weight);
        <w.width, w.from_whom, w.on> = <Max(w.width, through), v, True>;
      }
    }
  }
}
