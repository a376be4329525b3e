// As round_flag, but nodes with even numbers pass nothing on, the source apart.
function widest(Graph g, propNode<int> width, propEdge<int> weight, node src) {
  propNode<bool> modified;
  g.attachNodeProperty(width = 0, modified = False);
  src.width = INF;
  src.modified = True;
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes().filter(modified == True)) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        if (v == src || v % 2 != 0) {
          <w.width, w.modified> = <Max(w.width, min(v.width, e.weight)), True>;
        }
      }
    }
  }
}
