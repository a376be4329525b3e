// As two_flags, but nodes that have a level get another: the last of five rounds in which a walk arrives.
function bfs(Graph g, propNode<int> level, node src) {
  propNode<bool> cur;
  propNode<bool> nxt;
  g.attachNodeProperty(level = INF, cur = False, nxt = False);
  src.level = 0;
  src.cur = True;
  int depth = 0;
  while (depth < 5) {
    depth++;
    forall (v in g.nodes().filter(cur == True)) {
      forall (w in g.neighbors(v)) {
        w.level = depth;
        w.nxt = True;
      }
    }
    cur = nxt;
    g.attachNodeProperty(nxt = False);
  }
}
