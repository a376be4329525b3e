// while the number of nodes visited grows; a flag property beside the level; push; += of new nodes
function bfs(Graph g, propNode<int> level, node src) {
  propNode<bool> visited;
  g.attachNodeProperty(level = INF, visited = False);
  src.level = 0;
  src.visited = True;
  long before = 0;
  long now = 1;
  int depth = 0;
  while (now > before) {
    before = now;
    forall (v in g.nodes().filter(visited && level == depth)) {
      forall (w in g.neighbors(v)) {
        if (!w.visited) {
          w.visited = True;
          w.level = depth + 1;
        }
      }
    }
    now = Count(visited);
    depth++;
  }
}
