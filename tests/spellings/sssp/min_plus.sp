// do…while; a vector times the matrix over min and plus: pull into a new vector; compared in the end
function sssp(Graph g, propNode<int> dist, propEdge<int> weight, node src) {
  propNode<int> y;
  g.attachNodeProperty(dist = INF);
  src.dist = 0;
  bool same;
  do {
    same = True;
    forall (v in g.nodes()) {
      int best = v.dist;
      for (u in g.nodes_to(v)) {
        edge e = g.get_edge(u, v);
        best = min(best, u.dist + e.weight);
      }
      v.y = best;
    }
    forall (v in g.nodes()) {
      if (v.y != v.dist) {
        same = False;
      }
    }
    dist = y;
  } while (!same);
}
