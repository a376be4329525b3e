// while; the label is a local, copied at the end; the guard skips loops and equal labels; push over edges; Min
// names: component=out
function cc(Graph g, propNode<int> out) {
  propNode<int> mine;
  propNode<bool> dirty;
  forall (v in g.nodes()) {
    v.mine = v;
    v.dirty = True;
  }
  long open = g.num_nodes();
  while (open > 0) {
    propNode<bool> fresh;
    g.attachNodeProperty(fresh = False);
    forall (e in g.edges()) {
      node a = e.source;
      node b = e.destination;
      if (a != b && a.mine != b.mine) {
        if (a.dirty) {
          <b.mine, b.fresh> = <Min(b.mine, a.mine), True>;
        }
        if (b.dirty) {
          <a.mine, a.fresh> = <Min(a.mine, b.mine), True>;
        }
      }
    }
    dirty = fresh;
    open = Count(dirty);
  }
  out = mine;
}
