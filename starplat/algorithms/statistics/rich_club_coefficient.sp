// Rich-club coefficients: `coefficient` of the k-th node is the density among the nodes of more than k neighbors.
//
// The first node is the 0-th. It is 0 where fewer than two nodes have more than k neighbors (Zhou and Mondragón; not
// compared with random graphs). The graph is undirected, without loops and parallel edges.
function rich_club_coefficient(Graph g, propNode<double> coefficient) {
  propNode<long> nodes;
  propNode<long> arcs;
  propNode<long> nodes_nxt;
  propNode<long> arcs_nxt;
  int n = g.num_nodes();
  g.attachNodeProperty(nodes = 0, arcs = 0);
  forall (v in g.nodes().filter(g.degree(v) > 0)) {
    node place = g.degree(v) - 1;
    place.nodes += 1;
    for (w in g.neighbors(v)) {
      node poorer = min(g.degree(v), g.degree(w)) - 1;
      poorer.arcs += 1;
    }
  }
  for (int step = 1; step < n; step += step) { // sums over all that follow
    forall (k in g.nodes()) {
      k.nodes_nxt = k.nodes;
      k.arcs_nxt = k.arcs;
      if (k + step < n) {
        node later = k + step;
        k.nodes_nxt += later.nodes;
        k.arcs_nxt += later.arcs;
      }
    }
    nodes = nodes_nxt;
    arcs = arcs_nxt;
  }
  forall (k in g.nodes()) {
    double pairs = k.nodes * (k.nodes - 1);
    k.coefficient = pairs > 0.0 ? k.arcs / pairs : 0.0;
  }
}
