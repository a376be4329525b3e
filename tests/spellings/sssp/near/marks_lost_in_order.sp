// As in_its_turn, with two flag properties, of which every node takes back the second in its turn.
function sssp(Graph g, propNode<int> dist, propEdge<int> weight, node src) {
  propNode<bool> now;
  propNode<bool> later;
  g.attachNodeProperty(dist = INF, now = False, later = False);
  src.dist = 0;
  src.now = True;
  bool more = True;
  while (more) {
    more = False;
    for (u in g.nodes()) {
      u.later = False;
      if (u.now) {
        for (v in g.neighbors(u)) {
          edge e = g.get_edge(u, v);
          if (u.dist + e.weight < v.dist) {
            v.dist = u.dist + e.weight;
            v.later = True;
            more = True;
          }
        }
      }
    }
    now = later;
    g.attachNodeProperty(later = False);
  }
}
