// while; loop over edges; the frontier is a level; if at both ends of the arc
function bfs(Graph g, propNode<int> level, node src) {
  int d = 0;
  bool grown = True;
  g.attachNodeProperty(level = INF);
  src.level = d;
  while (grown) {
    grown = False;
    forall (e in g.edges()) {
      node a = e.source;
      node b = e.destination;
      if (a.level == d && b.level == INF) {
        b.level = d + 1;
        grown = True;
      }
    }
    d += 1;
  }
}
