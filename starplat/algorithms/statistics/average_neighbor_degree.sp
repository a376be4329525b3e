// The average degree of every node's neighbors: `average` is the mean number of arcs that leave those it leads to.
//
// In an undirected graph these are all its neighbors. It is 0 for a node that leads to none; parallel arcs count.
function average_neighbor_degree(Graph g, propNode<double> average) {
  forall (v in g.nodes()) {
    long sum = 0;
    for (w in g.neighbors(v)) {
      sum += g.count_outNbrs(w);
    }
    double degree = max(g.count_outNbrs(v), 1);
    v.average = sum / degree;
  }
}
