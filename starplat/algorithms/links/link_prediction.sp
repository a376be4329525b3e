// How likely a node's next neighbor every other node is: the scores of its pairs with `of`, in the usual measures.
//
// `common` counts the neighbors in common, `jaccard` is their share of the neighbors of either, `adamic_adar` sums
// 1 / log(degree) over them, `resource_allocation` 1 / degree; `preferential_attachment` is the product of the degrees.
// Those that are neighbors of `of` already have scores too, `of` itself has none (0). The graph is undirected, without
// loops and parallel edges.
function link_prediction(Graph g, propNode<int> common, propNode<double> jaccard, propNode<double> adamic_adar, propNode<double> resource_allocation, propNode<long> preferential_attachment, node of) {
  g.attachNodeProperty(common = 0, jaccard = 0.0, adamic_adar = 0.0, resource_allocation = 0.0, preferential_attachment = 0);
  long degree = g.count_outNbrs(of);
  forall (w in g.neighbors(of)) {
    double worth = g.count_outNbrs(w);
    forall (v in g.neighbors(w).filter(v != of)) {
      v.common += 1;
      v.adamic_adar += 1.0 / log(worth);
      v.resource_allocation += 1.0 / worth;
    }
  }
  forall (v in g.nodes().filter(v != of)) {
    double either = degree + g.count_outNbrs(v) - v.common;
    v.jaccard = either > 0.0 ? v.common / either : 0.0;
    v.preferential_attachment = degree * g.count_outNbrs(v);
  }
}
