// do…while; a vector times the matrix over max and min: pull into a new vector; compared in the end
function widest(Graph g, propNode<int> width, propEdge<int> weight, node src) {
  propNode<int> y;
  g.attachNodeProperty(width = 0);
  src.width = INF;
  bool same;
  do {
    same = True;
    forall (v in g.nodes()) {
      int best = v.width;
      for (u in g.nodes_to(v)) {
        edge e = g.get_edge(u, v);
        best = max(best, min(u.width, e.weight));
      }
      v.y = best;
    }
    forall (v in g.nodes()) {
      if (v.y != v.width) {
        same = False;
      }
    }
    width = y;
  } while (!same);
}
