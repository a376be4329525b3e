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
      map<node, int> votes;
      for (u in g.inOutNbrs(v)) {
        votes[u.label] += 1;
      }
      node favourite = votes.best();
      v.label_nxt = favourite < 0 ? v.label : favourite;
    }
    label = label_nxt;
  }
}
