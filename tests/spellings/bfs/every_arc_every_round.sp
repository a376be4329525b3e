// while; no frontier: every node tells its neighbors each round; push; if; a round's changes are counted
// names: level=steps src=start
function bfs(Graph g, propNode<int> steps, node start) {
  forall (v in g.nodes()) {
    v.steps = INF;
  }
  start.steps = 0;
  long changes = 1;
  while (changes > 0) {
    changes = 0;
    forall (v in g.nodes()) {
      if (v.steps != INF) {
        forall (w in g.neighbors(v)) {
          if (v.steps + 1 < w.steps) {
            w.steps = v.steps + 1;
            changes += 1;
          }
        }
      }
    }
  }
}
