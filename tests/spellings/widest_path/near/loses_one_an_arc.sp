// As round_flag, but each arc takes one from what comes through.
function widest(Graph g, propNode<int> width, propEdge<int> weight, node src) {
  propNode<bool> modified;
  g.attachNodeProperty(width = 0, modified = False);
  src.width = INF;
  src.modified = True;
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes().filter(modified == True)) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        <w.width, w.modified> = <Max(w.width, min(v.width - 1, e.weight)), True>;
      }
    }
  }
}
