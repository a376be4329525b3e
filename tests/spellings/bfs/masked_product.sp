// while; a vector of bools times the matrix, masked by the visited: pull with ||=; levels in a loop of their own
function bfs(Graph g, propNode<int> level, node src) {
  propNode<bool> x;
  propNode<bool> y;
  g.attachNodeProperty(level = INF, x = False);
  src.level = 0;
  src.x = True;
  int step = 0;
  bool any = True;
  while (any) {
    step++;
    any = False;
    forall (v in g.nodes()) {
      bool reached = False;
      for (u in g.nodes_to(v)) {
        reached ||= u.x;
      }
      v.y = reached && v.level == INF;
    }
    forall (v in g.nodes()) {
      v.x = v.y;
      if (v.y) {
        v.level = step;
        any = True;
      }
    }
  }
}
