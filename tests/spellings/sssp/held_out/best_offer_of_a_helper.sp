// while over a negated flag; a helper finds the best offer that a node has; pull; stored where it is less
// names: dist=cost src=from
function best_offer(Graph g, propNode<int> cost, propEdge<int> weight, node v) {
  int best = INF;
  for (u in g.nodes_to(v)) {
    edge e = g.get_edge(u, v);
    best = min(best, u.cost + e.weight);
  }
  return best;
}

function cheapest(Graph g, propNode<int> cost, propEdge<int> weight, node from) {
  g.attachNodeProperty(cost = INF);
  from.cost = 0;
  bool stable = False;
  while (!stable) {
    stable = True;
    forall (v in g.nodes()) {
      int offered = best_offer(g, cost, weight, v);
      if (offered < v.cost) {
        v.cost = offered;
        stable = False;
      }
    }
  }
}
