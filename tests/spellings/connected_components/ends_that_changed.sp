// fixedPoint on a flag property; over edges; if with temporaries; the lower end's label to the other; a helper begins
// names: component=island
function own_label(Graph g, propNode<node> island, propNode<bool> woke) {
  forall (v in g.nodes()) {
    v.woke = True;
    v.island = v;
  }
}
function islands(Graph g, propNode<node> island) {
  propNode<bool> woke;
  own_label(g, island, woke);
  fixedPoint until (still : !woke) {
    forall (e in g.edges()) {
      node a = e.source;
      node b = e.destination;
      if (a.woke) {
        <b.island, b.woke> = <Min(b.island, a.island), True>;
      }
      if (b.woke) {
        <a.island, a.woke> = <Min(a.island, b.island), True>;
      }
    }
  }
}
