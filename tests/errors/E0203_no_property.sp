function sssp(Graph g, propNode<int> dist, propEdge<int> weight, node src) {
  propNode<bool> modified1;
  g.attachNodeProperty(dist = INF, modified1 = False);
  src.dist = 0;
  src.modified1 = True;
  bool finished = False;
  fixedPoint until (finished : !modified1) {
    forall (v in g.nodes().filter(modified1)) {
      forall (nbr in g.neighbors(v)) {
        edge e = g.get_edge(v, nbr);
        <nbr.dist, nbr.modified> = <Min(nbr.dist, v.dist + e.weight), True>;
      }
    }
  }
}
