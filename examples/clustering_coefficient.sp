// Local clustering coefficients: `lcc` is the share of pairs of a node's neighbors that an arc joins.
//
// As LDBC Graphalytics defines it, for directed and undirected graphs: neighbors are those that an arc leads to or
// comes from, a pair counts in either order, and it is 0 for less than two neighbors. For graphs without parallel
// arcs (`--dedup`).
function clustering_coefficient(Graph g, propNode<double> lcc) {
  forall (v in g.nodes()) {
    long neighbors = 0;
    long arcs = 0;
    for (u in g.neighbors(v).filter(u != v)) {
      neighbors += 1;
      arcs += arcs_to_neighbors(g, u, v);
    }
    for (u in g.nodes_to(v).filter(u != v && !g.is_an_edge(v, u))) {
      neighbors += 1;
      arcs += arcs_to_neighbors(g, u, v);
    }
    v.lcc = 0.0;
    if (neighbors > 1) {
      double pairs = neighbors * (neighbors - 1);
      v.lcc = arcs / pairs;
    }
  }
}

// The number of arcs from u to neighbors of v.
function arcs_to_neighbors(Graph g, node u, node v) {
  long arcs = 0;
  for (w in g.neighbors(u).filter(w != u && w != v)) {
    if (g.is_an_edge(v, w) || g.is_an_edge(w, v)) {
      arcs += 1;
    }
  }
  return arcs;
}
