// fixedPoint; one flag property; push; Min with max in its value; the guard skips loops
// names: dist=D
function sssp(Graph g, propNode<int> D, propEdge<int> weight, node src) {
  propNode<bool> M;
  g.attachNodeProperty(D = INF, M = False);
  src.D = 0;
  src.M = True;
  fixedPoint until (F : !M) {
    forall (v in g.nodes().filter(M == True)) {
      int own = v.D;
      forall (w in g.neighbors(v).filter(w != v)) {
        edge e = g.get_edge(v, w);
        int length = max(e.weight, 0);
        int sum = own + length;
        <w.D, w.M> = <Min(w.D, sum), True>;
      }
    }
  }
}
