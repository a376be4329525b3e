// for (d = 0; changed; d++) with an int as the flag; -1 for nodes not reached; push; if; nested ifs
// unreached: -1
function bfs(Graph g, propNode<int> level, node src) {
  forall (v in g.nodes()) {
    v.level = -1;
  }
  src.level = 0;
  int changed = 1;
  for (int d = 0; changed == 1; d++) {
    changed = 0;
    forall (v in g.nodes()) {
      if (v.level == d) {
        forall (w in g.neighbors(v)) {
          if (w.level < 0) {
            w.level = d + 1;
            changed = 1;
          }
        }
      }
    }
  }
}
