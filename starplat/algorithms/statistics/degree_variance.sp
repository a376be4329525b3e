// The spread of degrees: returns their variance; `away` is how far each node's number of leaving arcs is from the mean.
//
// The variance is that of the whole population. It is 0 without nodes.
function degree_variance(Graph g, propNode<double> away) {
  double n = max(g.num_nodes(), 1);
  double mean = g.num_edges() / n;
  double squares = 0.0;
  forall (v in g.nodes()) {
    v.away = g.count_outNbrs(v) - mean;
    squares += v.away * v.away;
  }
  return squares / n;
}
