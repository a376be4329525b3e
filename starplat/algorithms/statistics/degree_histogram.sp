// The histogram of degrees: `frequency` of the d-th node is the number of nodes that d arcs leave.
//
// The first node is the 0-th. Parallel arcs may give degrees for which there is no node; those count at the last node.
// Returns the largest degree.
function degree_histogram(Graph g, propNode<long> frequency) {
  int last = g.num_nodes() - 1;
  int largest = 0;
  g.attachNodeProperty(frequency = 0);
  forall (v in g.nodes()) {
    int degree = g.count_outNbrs(v);
    largest = max(largest, degree);
    node place = min(degree, last);
    place.frequency += 1;
  }
  return largest;
}
