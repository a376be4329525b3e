// while; a flag for who stays; degrees pulled afresh from those that stay in an inner do while; the core is the last k passed
// names: core=shell
function shells(Graph g, propNode<int> shell) {
  propNode<bool> stays;
  propNode<int> around;
  g.attachNodeProperty(stays = True, shell = 0);
  int k = 1;
  long here = g.num_nodes();
  while (here > 0) {
    bool moved = False;
    do {
      moved = False;
      forall (v in g.nodes().filter(stays)) {
        int friends = 0;
        for (u in g.nodes_to(v)) {
          if (u != v && u.stays) {
            friends++;
          }
        }
        v.around = friends;
      }
      forall (v in g.nodes()) {
        if (v.stays && v.around < k) {
          v.stays = False;
          moved = True;
        }
      }
    } while (moved);
    here = 0;
    forall (v in g.nodes().filter(stays)) {
      v.shell = k;
      here += 1;
    }
    k++;
  }
}
