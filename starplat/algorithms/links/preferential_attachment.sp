// Preferential attachment of every edge: `score` is the product of the degrees of its ends (Barabási and Albert).
//
// `link_prediction` gives it for nodes that no edge joins. The graph is undirected, without loops.
function preferential_attachment(Graph g, propEdge<long> score) {
  forall (e in g.edges()) {
    long degree = g.count_outNbrs(e.source);
    e.score = degree * g.count_outNbrs(e.destination);
  }
}
