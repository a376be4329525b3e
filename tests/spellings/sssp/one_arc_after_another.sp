// counted loop with break; one arc after another; no frontier; what is not reached offers nothing
function sssp(Graph g, propNode<int> dist, propEdge<int> weight, node src) {
  g.attachNodeProperty(dist = INF);
  src.dist = 0;
  for (int i = 0; i < g.num_nodes(); i++) {
    bool any = False;
    for (e in g.edges()) {
      node u = e.source;
      node v = e.destination;
      if (u.dist != INF && u.dist + e.weight < v.dist) {
        v.dist = u.dist + e.weight;
        any = True;
      }
    }
    if (!any) break;
  }
}
