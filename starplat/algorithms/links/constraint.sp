// Burt's constraint: `constraint` is near 1 where a node's neighbors depend on each other, small where it bridges them.
//
// It sums over the neighbors the square of what a node spends on one, at first and second hand: a node spends the same
// on all its neighbors. 0 for nodes without neighbors. The graph is undirected, without loops and parallel edges.
function constraint(Graph g, propNode<double> constraint) {
  forall (v in g.nodes()) {
    double spent = 1.0 / max(g.degree(v), 1);
    double sum = 0.0;
    for (u in g.neighbors(v)) {
      double on = spent;
      for (w in g.neighbors(v)) {
        if (g.is_an_edge(w, u)) {
          on += spent / g.degree(w);
        }
      }
      sum += on * on;
    }
    v.constraint = sum;
  }
}
