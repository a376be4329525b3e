// As pull, but from the out-neighbors: distances to the node that is called src.
function sssp(Graph g, propNode<int> dist, propEdge<int> weight, node src) {
  g.attachNodeProperty(dist = INF);
  src.dist = 0;
  bool again;
  do {
    again = False;
    forall (v in g.nodes()) {
      int best = v.dist;
      for (u in g.neighbors(v)) {
        edge e = g.get_edge(v, u);
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
