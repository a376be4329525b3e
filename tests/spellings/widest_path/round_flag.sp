// fixedPoint; one flag property; push; Max; the result is a parameter
function widest(Graph g, propNode<int> width, propEdge<int> weight, node src) {
  propNode<bool> modified;
  g.attachNodeProperty(width = 0, modified = False);
  src.width = INF;
  src.modified = True;
  bool finished = False;
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes().filter(modified == True)) {
      forall (nbr in g.neighbors(v)) {
        edge e = g.get_edge(v, nbr);
        <nbr.width, nbr.modified> = <Max(nbr.width, min(v.width, e.weight)), True>;
      }
    }
  }
}
