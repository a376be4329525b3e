// fixedPoint for each k with a flag property; degrees by push; the flag is set where a degree falls
function k_core(Graph g, propNode<int> core) {
  propNode<int> degree;
  propNode<bool> check;
  propNode<bool> out;
  g.attachNodeProperty(core = -1, degree = 0, out = False);
  forall (v in g.nodes()) {
    for (u in g.nodes_to(v).filter(u != v)) {
      v.degree++;
    }
  }
  long left = g.num_nodes();
  int k = 0;
  while (left > 0) {
    g.attachNodeProperty(check = True);
    fixedPoint until (stable : !check) {
      g.attachNodeProperty(out = False);
      forall (v in g.nodes().filter(check == True)) {
        if (v.core == -1 && v.degree <= k) {
          v.core = k;
          v.out = True;
          left -= 1;
        }
      }
      g.attachNodeProperty(check = False);
      forall (v in g.nodes().filter(out == True)) {
        forall (w in g.neighbors(v)) {
          if (w != v) {
            w.degree -= 1;
            w.check = True;
          }
        }
      }
    }
    k++;
  }
}
