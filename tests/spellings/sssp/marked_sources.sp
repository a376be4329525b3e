// while; loop over arcs whose source is flagged; two flag properties, copied; flags are counted
function sssp(Graph g, propNode<int> dist, propEdge<int> weight, node src) {
  propNode<bool> active;
  propNode<bool> coming;
  g.attachNodeProperty(dist = INF, active = False, coming = False);
  src.dist = 0;
  src.active = True;
  int count = 1;
  while (count > 0) {
    forall (e in g.edges().filter(e.source.active == True)) {
      node v = e.destination;
      if (e.source.dist + e.weight < v.dist) {
        v.dist = e.source.dist + e.weight;
        v.coming = True;
      }
    }
    active = coming;
    g.attachNodeProperty(coming = False);
    count = 0;
    forall (v in g.nodes()) {
      if (v.active) { count++; }
    }
  }
}
