// fixedPoint; one flag property; push; the weight that was loaded, no propEdge; the arc not named
function sssp(Graph g, propNode<int> dist, node src) {
  propNode<bool> modified;
  g.attachNodeProperty(dist = INF, modified = False);
  src.dist = 0;
  src.modified = True;
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes().filter(modified == True)) {
      forall (w in g.neighbors(v)) {
        <w.dist, w.modified> = <Min(w.dist, g.get_edge(v, w).weight + v.dist), True>;
      }
    }
  }
}
