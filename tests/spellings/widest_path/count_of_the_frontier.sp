// while (Count > 0); two flag properties; push; Max; min in a local
function widest(Graph g, propNode<int> width, propEdge<int> weight, node src) {
  propNode<bool> frontier;
  propNode<bool> next;
  g.attachNodeProperty(width = 0, frontier = False, next = False);
  src.width = INF;
  src.frontier = True;
  while (Count(frontier) > 0) {
    forall (u in g.nodes().filter(frontier)) {
      forall (v in g.neighbors(u)) {
        edge e = g.get_edge(u, v);
        int through = min(u.width, e.weight);
        <v.width, v.next> = <Max(v.width, through), True>;
      }
    }
    g.attachNodeProperty(frontier = next, next = False);
  }
}
