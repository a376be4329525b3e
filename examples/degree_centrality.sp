// Degree centrality: the arcs that leave a node and the arcs that come to it, as shares of the other nodes.
//
// In an undirected graph both are its degree centrality.
function degree_centrality(Graph g, propNode<double> out_centrality, propNode<double> in_centrality) {
  double others = max(g.num_nodes() - 1, 1);
  forall (v in g.nodes()) {
    v.out_centrality = g.count_outNbrs(v) / others;
    v.in_centrality = g.count_inNbrs(v) / others;
  }
}
