// As round_flag with Max in place of Min: the largest sum along a walk, 40 at most; -1 where none leads.
function sssp(Graph g, propNode<int> dist, propEdge<int> weight, node src) {
  propNode<bool> modified;
  g.attachNodeProperty(dist = -1, modified = False);
  src.dist = 0;
  src.modified = True;
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes().filter(modified == True)) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        <w.dist, w.modified> = <Max(w.dist, min(v.dist + e.weight, 40)), True>;
      }
    }
  }
}
