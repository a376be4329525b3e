// Jaccard's coefficient of every edge: `jaccard` is the share of its ends' neighbors that both have in common.
//
// `link_prediction` gives it for nodes that no edge joins. The graph is undirected, without loops and parallel edges.
function jaccard_coefficient(Graph g, propEdge<double> jaccard) {
  forall (e in g.edges()) {
    node fewer = g.count_outNbrs(e.source) < g.count_outNbrs(e.destination) ? e.source : e.destination;
    node more = fewer == e.source ? e.destination : e.source;
    double common = 0.0;
    for (w in g.common_neighbors(fewer, more)) {
      common += 1.0;
    }
    e.jaccard = common / (g.count_outNbrs(fewer) + g.count_outNbrs(more) - common);
  }
}
