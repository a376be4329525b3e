// Shortest paths from one source, as `sssp.sp`, with the nodes of this round and of the next in two properties.
function sssp(Graph g, propNode<int> dist, propEdge<int> weight, node src) {
  propNode<bool> modified;
  propNode<bool> modified_nxt;
  g.attachNodeProperty(dist = INF, modified = False, modified_nxt = False);
  src.dist = 0;
  src.modified = True;
  bool finished = False;
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes().filter(modified == True)) {
      forall (nbr in g.neighbors(v)) {
        edge e = g.get_edge(v, nbr);
        <nbr.dist, nbr.modified_nxt> = <Min(nbr.dist, v.dist + e.weight), True>;
      }
    }
    g.attachNodeProperty(modified = modified_nxt, modified_nxt = False);
  }
}
