// while (more == 1); two flag properties and the result as numbers 0 and 1; push; if; copied at the end
// names: reached=r
function reach(Graph g, propNode<bool> r, node src) {
  propNode<int> seen;
  propNode<int> now;
  propNode<int> next;
  g.attachNodeProperty(seen = 0, now = 0, next = 0);
  src.seen = 1;
  src.now = 1;
  int more = 1;
  while (more == 1) {
    more = 0;
    forall (v in g.nodes().filter(now == 1)) {
      forall (w in g.neighbors(v)) {
        if (w.seen == 0) {
          w.seen = 1;
          w.next = 1;
          more = 1;
        }
      }
    }
    now = next;
    g.attachNodeProperty(next = 0);
  }
  forall (v in g.nodes()) {
    v.r = v.seen == 1;
  }
}
