// As recount, but a node counts a neighbor once, however many arcs come from it.
function k_core(Graph g, propNode<int> core) {
  propNode<bool> alive;
  g.attachNodeProperty(alive = True, core = 0);
  int k = 1;
  bool some = g.num_nodes() > 0;
  while (some) {
    bool removed = True;
    while (removed) {
      removed = False;
      propNode<bool> weak;
      g.attachNodeProperty(weak = False);
      forall (v in g.nodes().filter(alive == True)) {
        int d = 0;
        node last = -1;
        for (u in g.nodes_to(v)) {
          if (u.alive && u != v && u != last) {
            d++;
          }
          last = u;
        }
        if (d < k) {
          v.weak = True;
          removed = True;
        }
      }
      forall (v in g.nodes().filter(weak == True)) {
        v.alive = False;
      }
    }
    some = False;
    forall (v in g.nodes().filter(alive == True)) {
      v.core = k;
      some = True;
    }
    k++;
  }
}
