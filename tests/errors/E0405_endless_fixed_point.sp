function spread(Graph g, propNode<int> dist, node src) {
  propNode<bool> modified;
  propNode<bool> modified_nxt;
  g.attachNodeProperty(dist = INF, modified = False, modified_nxt = False);
  src.dist = 0;
  src.modified = True;
  bool finished = False;
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes().filter(modified)) {
      forall (w in g.neighbors(v)) {
        <w.dist, w.modified_nxt> = <Min(w.dist, v.dist + 1), True>;
      }
    }
    g.attachNodeProperty(modified_nxt = False);
  }
}
