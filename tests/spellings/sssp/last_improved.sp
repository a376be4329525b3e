// while; the number of the last round that improved a node, asked as round - 1; over edges
// names: dist=d
function sssp(Graph g, propNode<int> d, propEdge<int> weight, node src) {
  propNode<int> last;
  g.attachNodeProperty(d = INF, last = -1);
  src.d = 0;
  src.last = 0;
  int round = 1;
  bool active = True;
  while (active) {
    active = False;
    forall (e in g.edges()) {
      node a = e.source;
      node b = e.destination;
      if (a.last == round - 1 && a.d + e.weight < b.d) {
        <b.d, b.last, active> = <Min(b.d, a.d + e.weight), round, True>;
      }
    }
    round += 1;
  }
}
