// counted loop that is left by break; every arc in every round; pull with if; a flag that is turned round
// names: dist=cost src=start
function costs(Graph g, propEdge<int> weight, propNode<int> cost, node start) {
  g.attachNodeProperty(cost = INF);
  start.cost = 0;
  bool stable = False;
  while (!stable) {
    stable = True;
    forall (v in g.nodes()) {
      for (u in g.nodes_to(v)) {
        edge e = g.get_edge(u, v);
        int offer = u.cost + e.weight;
        if (offer < v.cost) {
          v.cost = offer;
          stable = False;
        }
      }
    }
  }
}
