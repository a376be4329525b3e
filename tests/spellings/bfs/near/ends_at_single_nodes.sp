// As while_more, but a round ends the search where it finds only one node.
function bfs(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = INF);
  src.level = 0;
  int depth = 0;
  int fresh = 2;
  while (fresh > 1) {
    fresh = 0;
    forall (v in g.nodes().filter(level == INF)) {
      bool next = False;
      for (p in g.nodes_to(v)) {
        if (p.level == depth) {
          next = True;
        }
      }
      if (next) {
        v.level = depth + 1;
        fresh += 1;
      }
    }
    depth++;
  }
}
