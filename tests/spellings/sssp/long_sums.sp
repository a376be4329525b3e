// fixedPoint; distances are long; one flag property; push; Min
function sssp(Graph g, propNode<long> dist, propEdge<int> weight, node src) {
  propNode<bool> dirty;
  g.attachNodeProperty(dist = INF, dirty = False);
  src.dist = 0;
  src.dirty = True;
  fixedPoint until (clean : !dirty) {
    forall (v in g.nodes().filter(dirty == True)) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        <w.dist, w.dirty> = <Min(w.dist, v.dist + e.weight), True>;
      }
    }
  }
}
