// As round_flag with Min in place of Max: the narrowest arc that a walk from the source can meet.
function widest(Graph g, propNode<int> width, propEdge<int> weight, node src) {
  propNode<bool> modified;
  g.attachNodeProperty(width = INF, modified = False);
  src.modified = True;
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes().filter(modified == True)) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        <w.width, w.modified> = <Min(w.width, min(v.width, e.weight)), True>;
      }
    }
  }
}
