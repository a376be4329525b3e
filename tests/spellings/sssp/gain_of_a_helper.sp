// while (True) left by break; a helper counts the arcs that would improve something, another relaxes all arcs
// names: dist=length weight=cost src=from
function gains(Graph g, propNode<int> length, propEdge<int> cost) {
  long count = 0;
  forall (e in g.edges()) {
    node u = e.source;
    node v = e.destination;
    if (u.length < INF && u.length + e.cost < v.length) {
      count += 1;
    }
  }
  return count;
}

function relax(Graph g, propNode<int> length, propEdge<int> cost) {
  forall (e in g.edges()) {
    node u = e.source;
    node v = e.destination;
    if (u.length < INF) {
      v.length = Min(v.length, u.length + e.cost);
    }
  }
}

function paths(Graph g, propNode<int> length, propEdge<int> cost, node from) {
  g.attachNodeProperty(length = INF);
  from.length = 0;
  while (True) {
    if (gains(g, length, cost) == 0) {
      break;
    }
    relax(g, length, cost);
  }
}
