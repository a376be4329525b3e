// while; an int for the state of a node (0 in, 1 leaves, 2 is out); degrees fall by push from those that leave; k grows alone
// names: core=shell
function shells(Graph g, propNode<int> shell) {
  propNode<int> state;
  propNode<int> with;
  g.attachNodeProperty(state = 0, with = 0, shell = 0);
  forall (v in g.nodes()) {
    int count = 0;
    for (u in g.nodes_to(v)) {
      if (u != v) {
        count++;
      }
    }
    v.with = count;
  }
  int k = 0;
  long in = g.num_nodes();
  while (in > 0) {
    long leave = 0;
    forall (v in g.nodes()) {
      if (v.state == 0 && v.with <= k) {
        v.state = 1;
        v.shell = k;
        leave++;
      }
    }
    if (leave == 0) {
      k++;
    } else {
      forall (v in g.nodes()) {
        if (v.state == 1) {
          v.state = 2;
          forall (w in g.neighbors(v)) {
            if (w != v) {
              w.with -= 1;
            }
          }
        }
      }
      in = in - leave;
    }
  }
}
