// do…while; loop over edges; no frontier; Min; changes are found by comparing with the round before
// names: dist=cost src=depot
function sssp(Graph g, propNode<int> cost, propEdge<int> weight, node depot) {
  propNode<int> before;
  g.attachNodeProperty(cost = INF);
  depot.cost = 0;
  long moved = 0;
  do {
    before = cost;
    forall (e in g.edges()) {
      node to = e.destination;
      <to.cost> = <Min(to.cost, e.source.cost + e.weight)>;
    }
    moved = 0;
    forall (v in g.nodes()) {
      if (v.before != v.cost) moved++;
    }
  } while (moved > 0);
}
