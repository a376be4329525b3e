// while; a helper makes one round and returns how many it gave a level; push; unreached is -1
// names: level=depth src=root
// unreached: -1
function expand(Graph g, propNode<int> depth, int now) {
  long found = 0;
  forall (a in g.nodes().filter(depth == now)) {
    forall (b in g.neighbors(a)) {
      if (b.depth == -1) {
        b.depth = now + 1;
        found += 1;
      }
    }
  }
  return found;
}

function search(Graph g, propNode<int> depth, node root) {
  g.attachNodeProperty(depth = -1);
  root.depth = 0;
  int now = 0;
  long found = 1;
  while (found > 0) {
    found = expand(g, depth, now);
    now += 1;
  }
}
