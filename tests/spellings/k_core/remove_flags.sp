// for k; a flag who is alive; do…while inside; the degree falls by nodes that go
function kcore(Graph g, propNode<int> core) {
  propNode<bool> alive;
  propNode<bool> gone;
  propNode<int> deg;
  g.attachNodeProperty(core = 0, alive = True, gone = False, deg = 0);
  forall (v in g.nodes()) {
    forall (u in g.nodes_to(v)) {
      if (u != v) {
        v.deg++;
      }
    }
  }
  int k = 1;
  while (Count(alive) > 0) {
    bool again = True;
    while (again) {
      again = False;
      forall (v in g.nodes().filter(alive && deg < k)) {
        v.alive = False;
        v.gone = True;
        v.core = k - 1;
        again = True;
      }
      forall (v in g.nodes().filter(gone)) {
        v.gone = False;
        forall (w in g.neighbors(v)) {
          if (w != v) {
            w.deg -= 1;
          }
        }
      }
    }
    k++;
  }
}
