// k-th matrix: degrees within the set are recounted by pull in every round; 1 and 0 as members
function kcore(Graph g, propNode<int> core) {
  propNode<int> in;
  propNode<int> deg;
  g.attachNodeProperty(core = 0, in = 1);
  int k = 1;
  long members = g.num_nodes();
  while (members > 0) {
    bool changed = True;
    while (changed) {
      changed = False;
      forall (v in g.nodes()) {
        int sum = 0;
        for (u in g.nodes_to(v)) {
          if (u != v) {
            sum += u.in;
          }
        }
        v.deg = sum;
      }
      forall (v in g.nodes().filter(in == 1)) {
        if (v.deg < k) {
          v.in = 0;
          changed = True;
        }
      }
    }
    forall (v in g.nodes().filter(in == 1)) {
      v.core = k;
    }
    members = Sum(in);
    k++;
  }
}
