// As counted_loop, but three rounds at most.
function bfs(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = INF);
  src.level = 0;
  for (int k = 0; k < 3; k++) {
    bool progress = False;
    forall (v in g.nodes().filter(level == k)) {
      forall (w in g.neighbors(v)) {
        if (w.level == INF) {
          w.level = k + 1;
          progress = True;
        }
      }
    }
    if (!progress) break;
  }
}
