// The conductance of a set of nodes: returns the weight of the edges that leave it as a share of all at its nodes.
//
// Or at the other nodes, where those have less weight at them (Kannan, Vempala and Vetta): near 0 for a good community.
// It is 0 if either side has no weight. The graph is undirected, without loops.
function conductance(Graph g, propEdge<double> weight, SetN<g> nodes) {
  propNode<bool> inside;
  g.attachNodeProperty(inside = False);
  forall (v in nodes) {
    v.inside = True;
  }
  double within = 0.0;
  double without = 0.0;
  double cut = 0.0;
  forall (e in g.edges()) {
    if (e.source.inside) {
      within += e.weight;
      if (!e.destination.inside) {
        cut += e.weight;
      }
    } else {
      without += e.weight;
    }
  }
  double fewer = min(within, without);
  return fewer > 0.0 ? cut / fewer : 0.0;
}
