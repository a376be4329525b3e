// fixedPoint; one flag property; push; Min; the arc in a variable; the result is a parameter
// names: src=start
function shortest(Graph g, propNode<int> dist, propEdge<int> weight, node start) {
  propNode<bool> changed;
  g.attachNodeProperty(changed = False, dist = INF);
  start.changed = True;
  start.dist = 0;
  bool over = False;
  fixedPoint until (over : !changed) {
    forall (u in g.nodes().filter(changed)) {
      forall (v in g.neighbors(u)) {
        edge arc = g.get_edge(u, v);
        <v.dist, v.changed> = <Min(v.dist, u.dist + arc.weight), True>;
      }
    }
  }
}
