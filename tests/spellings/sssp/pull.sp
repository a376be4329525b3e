// do…while; pull: each node takes the best of its in-neighbors; a temporary; the own cell by if; a scalar flag
function sssp(Graph g, propNode<int> dist, propEdge<int> weight, node src) {
  g.attachNodeProperty(dist = INF);
  src.dist = 0;
  bool again;
  do {
    again = False;
    forall (v in g.nodes()) {
      int best = v.dist;
      for (u in g.nodes_to(v)) {
        edge e = g.get_edge(u, v);
        if (u.dist + e.weight < best) {
          best = u.dist + e.weight;
        }
      }
      if (best < v.dist) {
        v.dist = best;
        again = True;
      }
    }
  } while (again);
}
