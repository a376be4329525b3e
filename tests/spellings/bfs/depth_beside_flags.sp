// while; two flag properties, copied; push; if on an unreached neighbor; the depth in a scalar
function bfs(Graph g, propNode<int> level, node src) {
  propNode<bool> front;
  propNode<bool> next;
  g.attachNodeProperty(level = INF, front = False, next = False);
  src.level = 0;
  src.front = True;
  int depth = 0;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(front == True)) {
      forall (w in g.neighbors(v)) {
        if (w.level == INF) {
          w.level = depth + 1;
          w.next = True;
          more = True;
        }
      }
    }
    front = next;
    g.attachNodeProperty(next = False);
    depth++;
  }
}
