// fixedPoint; one flag property; push; Max; the lesser of two by ?:
function widest(Graph g, propNode<int> width, propEdge<int> weight, node src) {
  propNode<bool> modified;
  g.attachNodeProperty(width = 0, modified = False);
  src.width = INF;
  src.modified = True;
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes().filter(modified == True)) {
      forall (nbr in g.neighbors(v)) {
        edge e = g.get_edge(v, nbr);
        int w = v.width < e.weight ? v.width : e.weight;
        <nbr.width, nbr.modified> = <Max(nbr.width, w), True>;
      }
    }
  }
}
