// Levels that follow a stream of additions alone; how many nodes a batch changed is a condition.
Incremental(Graph g, propNode<int> level, propNode<bool> active) {
  int rounds = 0, found = 1;
  while (found) {
    found = 0;
    rounds++;
    propNode<bool> next;
    g.attachNodeProperty(next = False);
    forall (v in g.nodes().filter(active)) {
      for (w in g.neighbors(v)) {
        <w.level, w.next> = <Min(w.level, v.level + 1), True>;
      }
    }
    active = next;
    forall (v in g.nodes()) {
      found += v.active;
    }
  }
  return rounds;
}

Dynamic follow(Graph g, propNode<int> level, updates<g> added, int size, int root) {
  propNode<bool> active;
  g.attachNodeProperty(level = INF, active = False);
  root.level = 0;
  root.active = True;
  int rounds = Incremental(g, level, active);
  Batch (added : size) {
    g.updateCSRAdd(added);
    g.attachNodeProperty(active = False);
    updates<g> now = added.currentBatch(1);
    forall (u in now) {
      int start = u.source;
      if (start.level != INF && start.level + 1 < level[u.destination]) {
        start.active = True;
      }
    }
    rounds += Incremental(g, level, active);
  }
  return rounds;
}
