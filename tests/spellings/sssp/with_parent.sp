// fixedPoint; one flag property; push; Min that carries the parent
function sssp(Graph g, propNode<int> dist, propNode<node> parent, propEdge<int> weight, node src) {
  propNode<bool> modified;
  g.attachNodeProperty(dist = INF, parent = -1, modified = False);
  src.dist = 0;
  src.modified = True;
  bool finished = False;
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes().filter(modified == True)) {
      forall (nbr in g.neighbors(v)) {
        edge e = g.get_edge(v, nbr);
        <nbr.dist, nbr.parent, nbr.modified> = <Min(nbr.dist, v.dist + e.weight), v, True>;
      }
    }
  }
}
