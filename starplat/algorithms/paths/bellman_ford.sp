// Shortest paths with negative weights: `dist` is the least sum of weights along a path, INF where there is none.
//
// From one node, `src`. False if a cycle of negative weight can be reached: then there is no least sum (Bellman and
// Ford). The second form is for weights that are no integers.
function bellman_ford(Graph g, propNode<long> dist, propEdge<long> weight, node src) {
  propNode<long> dist_nxt;
  g.attachNodeProperty(dist = INF);
  src.dist = 0;
  bool changed = True;
  int rounds = 0;
  while (changed && rounds < g.num_nodes()) {
    changed = False;
    forall (v in g.nodes()) {
      long least = v.dist;
      for (u in g.nodes_to(v)) {
        edge e = g.get_edge(u, v);
        if (u.dist != INF) {
          least = min(least, u.dist + e.weight);
        }
      }
      v.dist_nxt = least;
      if (least < v.dist) {
        changed = True;
      }
    }
    dist = dist_nxt;
    rounds++;
  }
  return !changed;
}

function bellman_ford_real(Graph g, propNode<double> dist, propEdge<double> weight, node src) {
  propNode<double> dist_nxt;
  g.attachNodeProperty(dist = INF);
  src.dist = 0;
  bool changed = True;
  int rounds = 0;
  while (changed && rounds < g.num_nodes()) {
    changed = False;
    forall (v in g.nodes()) {
      double least = v.dist;
      for (u in g.nodes_to(v)) {
        edge e = g.get_edge(u, v);
        if (u.dist != INF) {
          least = min(least, u.dist + e.weight);
        }
      }
      v.dist_nxt = least;
      if (least < v.dist) {
        changed = True;
      }
    }
    dist = dist_nxt;
    rounds++;
  }
  return !changed;
}
