// do while; values only: a copy of all distances from before the round; over edges; a sum of those that fell
// names: dist=length src=start
function from_start(Graph g, propNode<int> length, propEdge<int> weight, node start) {
  propNode<int> old;
  g.attachNodeProperty(length = INF);
  start.length = 0;
  int fallen = 0;
  do {
    fallen = 0;
    old = length;
    forall (e in g.edges()) {
      node a = e.source;
      node b = e.destination;
      int way = a.old + e.weight;
      if (a.old != INF && way < b.length) {
        <b.length> = <Min(b.length, way)>;
      }
    }
    forall (v in g.nodes().filter(length < old)) {
      fallen += 1;
    }
  } while (fallen > 0);
}
