// The effective size of every node's neighborhood: `size` is its neighbors less the neighbors that each has among them.
//
// On the mean over the neighbors, so that it is large where they do not know each other (Burt; Borgatti's form). 0 for
// nodes without neighbors. The graph is undirected, without loops and parallel edges.
function effective_size(Graph g, propNode<double> size) {
  forall (v in g.nodes()) {
    double ties = 0.0;
    for (u in g.neighbors(v)) {
      for (w in g.neighbors(v).filter(w > u)) {
        if (g.is_an_edge(u, w)) {
          ties += 2.0;
        }
      }
    }
    double degree = g.degree(v);
    v.size = degree > 0.0 ? degree - ties / degree : 0.0;
  }
}
