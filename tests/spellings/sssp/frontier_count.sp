// while (Count > 0); two flag properties; push; Min; the weight in a local; flags swapped by attach
function sssp(Graph g, propNode<int> dist, propEdge<int> weight, node src) {
  propNode<bool> frontier;
  propNode<bool> next;
  g.attachNodeProperty(dist = INF, frontier = False, next = False);
  src.dist = 0;
  src.frontier = True;
  while (Count(frontier) != 0) {
    forall (u in g.nodes().filter(frontier)) {
      forall (v in g.neighbors(u)) {
        edge e = g.get_edge(u, v);
        int w = e.weight;
        <v.dist, v.next> = <Min(v.dist, u.dist + w), True>;
      }
    }
    g.attachNodeProperty(frontier = next, next = False);
  }
}
