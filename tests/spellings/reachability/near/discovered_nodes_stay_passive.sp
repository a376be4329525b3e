// a discovered node gets another number than a node that discovers, so its neighbors are never discovered
// names: reached=r
function reach(Graph g, propNode<bool> r, node src) {
  propNode<int> seen;
  g.attachNodeProperty(seen = 0);
  src.seen = 1;
  int more = 1;
  while (more == 1) {
    more = 0;
    forall (v in g.nodes().filter(seen == 1)) {
      forall (w in g.neighbors(v)) {
        if (w.seen == 0) {
          w.seen = 2;
          more = 1;
        }
      }
    }
  }
  forall (v in g.nodes()) {
    v.r = v.seen >= 1;
  }
}
