// while; loop over edges; no frontier; Max; a count of the changes against the round before
// names: width=throughput
function widest(Graph g, propNode<int> throughput, propEdge<int> weight, node src) {
  propNode<int> old;
  g.attachNodeProperty(throughput = 0, old = 0);
  src.throughput = INF;
  int moved = 1;
  while (moved > 0) {
    old = throughput;
    forall (e in g.edges()) {
      node a = e.source;
      node b = e.destination;
      b.throughput = Max(b.throughput, min(a.throughput, e.weight));
    }
    moved = 0;
    forall (v in g.nodes().filter(old != throughput)) {
      moved += 1;
    }
  }
}
