// while; for each k the nodes that stay, from all nodes anew; a count in a temporary; no degrees are kept
function k_core(Graph g, propNode<int> core) {
  g.attachNodeProperty(core = 0);
  bool found = True;
  int k = 1;
  while (found) {
    propNode<bool> stays;
    g.attachNodeProperty(stays = True);
    bool changed = True;
    while (changed) {
      changed = False;
      forall (v in g.nodes()) {
        if (v.stays) {
          int around = 0;
          for (u in g.nodes_to(v).filter(stays == True)) {
            if (u != v) {
              around++;
            }
          }
          if (around < k) {
            v.stays = False;
            changed = True;
          }
        }
      }
    }
    found = False;
    forall (v in g.nodes().filter(stays == True)) {
      v.core = k;
      found = True;
    }
    k++;
  }
}
