// do … while in while; alive flags; degrees in a helper; waves of removed nodes; core as the bound
// names: core=shell
function degrees(Graph g, propNode<int> left) {
  forall (v in g.nodes()) {
    int many = 0;
    for (u in g.nodes_to(v)) {
      if (u != v) {
        many++;
      }
    }
    v.left = many;
  }
}

function k_core(Graph g, propNode<int> shell) {
  propNode<int> left;
  propNode<bool> alive;
  propNode<bool> wave;
  g.attachNodeProperty(shell = 0, alive = True, wave = False);
  degrees(g, left);
  int bound = 0;
  bool any = g.num_nodes() > 0;
  while (any) {
    bool removed;
    do {
      removed = False;
      forall (v in g.nodes().filter(alive && left <= bound)) {
        v.alive = False;
        v.wave = True;
        v.shell = bound;
        removed = True;
      }
      forall (v in g.nodes().filter(wave)) {
        forall (w in g.neighbors(v).filter(w != v)) {
          w.left -= 1;
        }
        v.wave = False;
      }
    } while (removed);
    any = False;
    forall (v in g.nodes().filter(alive)) {
      any = True;
    }
    bound++;
  }
}
