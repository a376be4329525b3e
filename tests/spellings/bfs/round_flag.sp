// fixedPoint; one flag property; push; Min; the result is a parameter; flags before levels
// names: level=hops src=root
function bfs(Graph graph, propNode<int> hops, node root) {
  propNode<bool> active;
  bool done = False;
  graph.attachNodeProperty(active = False, hops = INF);
  root.active = True;
  root.hops = 0;
  fixedPoint until (done : !active) {
    forall (u in graph.nodes().filter(active)) {
      forall (x in graph.neighbors(u)) {
        <x.hops, x.active> = <Min(x.hops, u.hops + 1), True>;
      }
    }
  }
}
