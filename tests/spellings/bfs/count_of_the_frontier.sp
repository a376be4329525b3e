// while (Count(frontier) > 0); two flag properties and a counted depth; push; if; the flags are swapped by copies
function bfs(Graph g, propNode<int> level, node src) {
  propNode<bool> frontier;
  propNode<bool> next;
  g.attachNodeProperty(level = INF, frontier = False, next = False);
  src.level = 0;
  src.frontier = True;
  int round = 1;
  while (Count(frontier) > 0) {
    forall (v in g.nodes().filter(frontier)) {
      forall (w in g.neighbors(v)) {
        if (w.level == INF) {
          w.level = round;
          w.next = True;
        }
      }
    }
    frontier = next;
    g.attachNodeProperty(next = False);
    round++;
  }
}
