// while on a count of marked nodes; a helper relaxes one round; two flag properties copied; carried parent
// names: dist=cost parent=via src=start
function relax(Graph g, propNode<int> cost, propNode<node> via, propNode<bool> now, propNode<bool> then, propEdge<int> weight) {
  forall (u in g.nodes().filter(now)) {
    forall (w in g.neighbors(u)) {
      edge e = g.get_edge(u, w);
      <w.cost, w.via, w.then> = <Min(w.cost, u.cost + e.weight), u, True>;
    }
  }
}

function cheapest(Graph g, propNode<int> cost, propNode<node> via, propEdge<int> weight, node start) {
  propNode<bool> now;
  propNode<bool> then;
  g.attachNodeProperty(cost = INF, via = -1, now = False, then = False);
  start.cost = 0;
  start.now = True;
  while (Count(now) > 0) {
    relax(g, cost, via, now, then, weight);
    now = then;
    g.attachNodeProperty(then = False);
  }
}
