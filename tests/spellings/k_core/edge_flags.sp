// while; arcs are taken away by a flag on the arc; degrees counted over arcs that are left
function k_core(Graph g, propNode<int> core) {
  propEdge<bool> cut;
  propNode<int> deg;
  forall (e in g.edges()) {
    e.cut = e.source == e.destination;
  }
  g.attachNodeProperty(core = -1);
  int k = 0;
  long left = g.num_nodes();
  while (left > 0) {
    g.attachNodeProperty(deg = 0);
    forall (e in g.edges()) {
      if (!e.cut) {
        node b = e.destination;
        b.deg += 1;
      }
    }
    long n = 0;
    forall (v in g.nodes().filter(core == -1 && deg <= k)) {
      v.core = k;
      n += 1;
    }
    forall (e in g.edges()) {
      node a = e.source;
      if (a.core != -1) {
        e.cut = True;
      }
    }
    left -= n;
    if (n == 0) {
      k += 1;
    }
  }
}
