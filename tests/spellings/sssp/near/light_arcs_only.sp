// As round_flag, but arcs that weigh four or more are closed.
function sssp(Graph g, propNode<int> dist, propEdge<int> weight, node src) {
  propNode<bool> modified;
  g.attachNodeProperty(dist = INF, modified = False);
  src.dist = 0;
  src.modified = True;
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes().filter(modified == True)) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        if (e.weight < 4) {
          <w.dist, w.modified> = <Min(w.dist, v.dist + e.weight), True>;
        }
      }
    }
  }
}
