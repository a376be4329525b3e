// while; two flag properties; push or pull by the size of the frontier; levels when told
function bfs(Graph g, propNode<int> level, node src) {
  propNode<bool> front;
  propNode<bool> next;
  g.attachNodeProperty(level = INF, front = False);
  src.level = 0;
  src.front = True;
  long n = g.num_nodes();
  long size = 1;
  int depth = 0;
  while (size > 0) {
    g.attachNodeProperty(next = False);
    depth += 1;
    if (size * 20 > n) {
      forall (v in g.nodes().filter(level == INF)) {
        for (u in g.nodes_to(v)) {
          if (u.front) {
            v.level = depth;
            v.next = True;
          }
        }
      }
    } else {
      forall (u in g.nodes().filter(front)) {
        forall (v in g.neighbors(u)) {
          if (v.level == INF) {
            v.level = depth;
            v.next = True;
          }
        }
      }
    }
    front = next;
    size = Count(front);
  }
}
