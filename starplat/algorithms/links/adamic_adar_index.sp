// The Adamic-Adar index of every edge: `index` sums 1 / log(degree) over the neighbors that its ends have in common.
//
// `link_prediction` gives it for nodes that no edge joins. The graph is undirected, without loops and parallel edges.
function adamic_adar_index(Graph g, propEdge<double> index) {
  forall (e in g.edges()) {
    node fewer = g.count_outNbrs(e.source) < g.count_outNbrs(e.destination) ? e.source : e.destination;
    node more = fewer == e.source ? e.destination : e.source;
    double sum = 0.0;
    for (w in g.common_neighbors(fewer, more)) {
      sum += 1.0 / log(g.count_outNbrs(w));
    }
    e.index = sum;
  }
}
