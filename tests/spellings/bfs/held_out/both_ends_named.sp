// fixedPoint; one flag property; pull by nodes that the flag reaches; Min on the own cell; filter in the inner loop
// names: level=ring src=centre
function rings(Graph g, propNode<int> ring, node centre) {
  propNode<bool> lit;
  g.attachNodeProperty(ring = INF, lit = False);
  centre.ring = 0;
  centre.lit = True;
  fixedPoint until (dark : !lit) {
    forall (v in g.nodes()) {
      forall (u in g.nodes_to(v).filter(lit == True)) {
        <v.ring, v.lit> = <Min(v.ring, u.ring + 1), True>;
      }
    }
  }
}
