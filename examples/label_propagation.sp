// Community detection by label propagation: in each round a node takes the `label` that most of its neighbors have.
//
// As LDBC Graphalytics defines it: all nodes at once, each starts with its own id, the smallest of equally frequent
// labels wins; in a directed graph in- and out-neighbors count, a mutual pair twice.
function label_propagation(Graph g, propNode<node> label, int iterations = 10) {
  propNode<node> label_nxt;
  forall (v in g.nodes()) {
    v.label = v;
  }
  for (int round = 0; round < iterations; round++) {
    forall (v in g.nodes()) {
      node favourite = v.label;
      int most = 0;
      for (u in g.inOutNbrs(v)) {
        int votes = 0;
        for (w in g.inOutNbrs(v)) {
          if (w.label == u.label) {
            votes += 1;
          }
        }
        if (votes > most || votes == most && u.label < favourite) {
          most = votes;
          favourite = u.label;
        }
      }
      v.label_nxt = favourite;
    }
    label = label_nxt;
  }
}
