// while; counting down over edges; a state of each node: 0 in, 1 leaving, 2 out; if
function k_core(Graph g, propNode<int> core) {
  propNode<int> state;
  propNode<int> deg;
  g.attachNodeProperty(state = 0, deg = 0, core = 0);
  forall (e in g.edges()) {
    node b = e.destination;
    if (b != e.source) {
      b.deg += 1;
    }
  }
  long inside = g.num_nodes();
  int k = 0;
  while (inside > 0) {
    long leaving = 0;
    forall (v in g.nodes()) {
      if (v.state == 1) {
        v.state = 2;
      }
      if (v.state == 0 && v.deg <= k) {
        v.state = 1;
        v.core = k;
        leaving += 1;
      }
    }
    forall (e in g.edges()) {
      node a = e.source;
      node b = e.destination;
      if (a.state == 1 && b.state == 0) {
        b.deg -= 1;
      }
    }
    if (leaving == 0) {
      k += 1;
    }
    inside -= leaving;
  }
}
