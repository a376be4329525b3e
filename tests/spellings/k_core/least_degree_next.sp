// the least degree among those left says the next k; removed all at once; degrees fall
function kcore(Graph g, propNode<int> core) {
  propNode<int> deg;
  propNode<bool> alive;
  propNode<bool> out;
  g.attachNodeProperty(core = 0, deg = 0, alive = True, out = False);
  forall (v in g.nodes()) {
    for (u in g.nodes_to(v).filter(u != v)) {
      v.deg += 1;
    }
  }
  int k = 0;
  long left = g.num_nodes();
  while (left > 0) {
    int least = INF;
    forall (v in g.nodes().filter(alive)) {
      least = Min(least, v.deg);
    }
    k = max(k, least);
    forall (v in g.nodes().filter(alive && deg <= k)) {
      v.core = k;
      v.alive = False;
      v.out = True;
      left -= 1;
    }
    forall (v in g.nodes().filter(out)) {
      v.out = False;
      forall (w in g.neighbors(v).filter(w != v)) {
        w.deg -= 1;
      }
    }
  }
}
