// As look_for_parent, but the parent is looked for among the out-neighbors: levels along arcs turned round.
function bfs(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = INF);
  src.level = 0;
  int round = 0;
  bool found;
  do {
    found = False;
    forall (v in g.nodes().filter(level == INF)) {
      for (p in g.neighbors(v)) {
        if (p.level == round) {
          v.level = round + 1;
          found = True;
          break;
        }
      }
    }
    round++;
  } while (found);
}
