// while; degrees are counted anew each round by pull from nodes that are left; alive flags; core is what was survived
// names: core=c
function k_core(Graph g, propNode<int> c) {
  propNode<bool> alive;
  g.attachNodeProperty(alive = True, c = 0);
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
        for (u in g.nodes_to(v)) {
          if (u.alive && u != v) {
            d++;
          }
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
      v.c = k;
      some = True;
    }
    k++;
  }
}
