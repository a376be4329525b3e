// fixedPoint; two flag properties as in StarPlat's SSSP; push; the sum in a local; Min; a copy at the end of a round
function Compute_BFS(Graph g, propNode<int> level, int src) {
  propNode<bool> modified;
  propNode<bool> modified_nxt;
  g.attachNodeProperty(level = INF, modified = False, modified_nxt = False);
  src.modified = True;
  src.level = 0;
  bool finished = False;
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes().filter(modified == True)) {
      forall (nbr in g.neighbors(v)) {
        int dist_new = v.level + 1;
        if (nbr.level > dist_new) {
          <nbr.level, nbr.modified_nxt> = <Min(nbr.level, dist_new), True>;
        }
      }
    }
    modified = modified_nxt;
    g.attachNodeProperty(modified_nxt = False);
  }
}
