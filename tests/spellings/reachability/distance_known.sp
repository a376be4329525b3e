// Bellman and Ford's with weight 1 until nothing changes; the result is asked of the distance in the end
function reach(Graph g, propNode<bool> reached, node src) {
  propNode<int> hops;
  propNode<bool> modified;
  g.attachNodeProperty(hops = INF, modified = False, reached = False);
  src.hops = 0;
  src.modified = True;
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes().filter(modified)) {
      forall (w in g.neighbors(v)) {
        <w.hops, w.modified> = <Min(w.hops, v.hops + 1), True>;
      }
    }
  }
  forall (v in g.nodes()) {
    if (v.hops != INF) {
      v.reached = True;
    }
  }
}
