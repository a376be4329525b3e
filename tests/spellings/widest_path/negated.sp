// fixedPoint; one flag property; push; Min of negated widths, turned round at the end
function widest(Graph g, propNode<int> width, propEdge<int> weight, node src) {
  propNode<int> narrow;
  propNode<bool> modified;
  g.attachNodeProperty(narrow = 0, modified = False);
  src.narrow = -2147483647;
  src.modified = True;
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes().filter(modified == True)) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        <w.narrow, w.modified> = <Min(w.narrow, max(v.narrow, -e.weight)), True>;
      }
    }
  }
  forall (v in g.nodes()) {
    v.width = -v.narrow;
  }
}
