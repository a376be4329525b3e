// fixedPoint; one flag property; push; the weight that was loaded; a guard that skips what cannot win
function widest(Graph g, propNode<int> width, node src) {
  propNode<bool> modified;
  g.attachNodeProperty(modified = False, width = 0);
  src.modified = True;
  src.width = INF;
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes().filter(modified == True)) {
      forall (w in g.neighbors(v).filter(w != v)) {
        edge e = g.get_edge(v, w);
        if (e.weight > w.width) {
          <w.width, w.modified> = <Max(w.width, min(e.weight, v.width)), True>;
        }
      }
    }
  }
}
