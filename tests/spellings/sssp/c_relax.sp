// for over rounds with an early end by break; an int flag; arcs; if; locals for the ends
function sssp(Graph g, propNode<int> dist, propEdge<int> weight, node src) {
  forall (v in g.nodes()) {
    v.dist = INF;
  }
  src.dist = 0;
  int n = g.num_nodes();
  for (int round = 0; round < n; round++) {
    int relaxed = 0;
    forall (e in g.edges()) {
      node u = e.source;
      node v = e.destination;
      if (u.dist != INF && u.dist + e.weight < v.dist) {
        v.dist = Min(v.dist, u.dist + e.weight);
        relaxed = 1;
      }
    }
    if (relaxed == 0) {
      break;
    }
  }
}
