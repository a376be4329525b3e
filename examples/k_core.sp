// Core numbers: `core` is the largest k such that a node is in a subgraph in which every node has k neighbors.
//
// Peels off, for k = 0, 1, …, the nodes with at most k neighbors left. The graph is undirected (in a directed one the
// neighbors that count are those with an arc to the node); loops do not count, parallel edges do.
function k_core(Graph g, propNode<int> core) {
  propNode<int> degree;
  propNode<bool> peeling;
  g.attachNodeProperty(core = -1, degree = 0, peeling = False);
  forall (v in g.nodes()) {
    for (nbr in g.nodes_to(v).filter(nbr != v)) {
      v.degree += 1;
    }
  }
  long left = g.num_nodes();
  int k = 0;
  while (left > 0) {
    long peeled = 0;
    forall (v in g.nodes().filter(core == -1 && degree <= k)) {
      v.core = k;
      v.peeling = True;
      peeled += 1;
    }
    forall (v in g.nodes().filter(peeling)) {
      v.peeling = False;
      forall (nbr in g.neighbors(v).filter(nbr != v)) {
        nbr.degree -= 1;
      }
    }
    left -= peeled;
    if (peeled == 0) {
      k += 1;
    }
  }
}
