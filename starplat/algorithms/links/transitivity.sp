// The transitivity of an undirected graph: returns the share of paths of two edges whose ends an edge joins.
//
// That is three triangles for every such path (Luce and Perry). It is 0 without such paths. The graph has no loops and
// no parallel edges.
function transitivity(Graph g) {
  long triangles = 0;
  double paths = 0.0;
  forall (v in g.nodes()) {
    forall (u in g.neighbors(v).filter(u < v)) {
      forall (w in g.neighbors(v).filter(w > v)) {
        if (g.is_an_edge(u, w)) {
          triangles += 1;
        }
      }
    }
  }
  forall (v in g.nodes()) {
    double degree = g.count_outNbrs(v);
    paths += degree * (degree - 1.0) / 2.0;
  }
  return paths > 0.0 ? 3.0 * triangles / paths : 0.0;
}
