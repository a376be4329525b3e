// while; the probability of an arc in an edge property; pull through it; the stranded mass is what is missing to one
// names: rank=p
function surf(Graph g, propNode<double> p, double damping, double tolerance, int max_iterations) {
  propEdge<double> chance;
  propNode<double> q;
  double n = g.num_nodes();
  forall (e in g.edges()) {
    node tail = e.source;
    e.chance = 1.0 / g.count_outNbrs(tail);
  }
  g.attachNodeProperty(p = 1.0 / n);
  int round = 0;
  double moved = INF;
  while (round < max_iterations && moved > tolerance) {
    double none = 0.0;
    forall (v in g.nodes().filter(g.count_outNbrs(v) == 0)) {
      none += v.p;
    }
    moved = 0.0;
    forall (v in g.nodes()) {
      double walked = 0.0;
      for (u in g.nodes_to(v)) {
        edge e = g.get_edge(u, v);
        walked += e.chance * u.p;
      }
      v.q = (1.0 - damping) / n + damping * (walked + none / n);
      moved += abs(v.q - v.p);
    }
    p = q;
    round++;
  }
}
