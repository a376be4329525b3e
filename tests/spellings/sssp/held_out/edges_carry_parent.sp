// do … while on a flag; all edges offer; Min that carries the parent and the flag; ends named first
// names: dist=d parent=from src=s
function bellman_ford(Graph g, propNode<int> d, propNode<node> from, propEdge<int> weight, node s) {
  g.attachNodeProperty(d = INF, from = -1);
  s.d = 0;
  bool moved = False;
  do {
    moved = False;
    forall (e in g.edges()) {
      node a = e.source;
      node b = e.destination;
      <b.d, b.from, moved> = <Min(b.d, a.d + e.weight), a, True>;
    }
  } while (moved);
}
