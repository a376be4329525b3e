// Shortest paths in n - 1 rounds, or fewer: every round looks at every arc.
Static bellman_ford(Graph g, propNode<int> dist, int src) {
  g.attachNodeProperty(dist = INF);
  src.dist = 0;
  int n = g.num_nodes();
  loop (round in 1 to n by 1) {
    int changed = 0;
    propNode<int> next(g);
    next = dist;
    forall (v in g.nodes()) {
      for (u in g.nodes_to(v)) {
        edge e = g.get_edge(u, v);
        if (u.dist != INF && u.dist + e.weight < v.next) {
          v.next = u.dist + e.weight;
          changed += True;
        }
      }
    }
    dist = next;
    if (!changed) {
      break;
    }
  }
}
