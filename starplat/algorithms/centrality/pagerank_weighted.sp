// Personalized PageRank, with weights: `rank` is a node's share of the time of a surfer who jumps where `jump` says.
//
// With probability `damping` the surfer follows an arc, chosen in proportion to its weight; else it jumps to a node,
// chosen in proportion to `jump` (personalized PageRank), by default to any. From a node whose arcs weigh nothing it goes
// on in proportion to `stranded`, by default as `jump` says. `rank` holds the first guess, by default `jump`. True if a
// round changed the ranks by less than `tolerance` in total.
function pagerank_weighted(Graph g, propNode<double> rank, propNode<double> jump, propNode<double> stranded, propEdge<double> weight, double damping = 0.85, double tolerance = 1e-6, int max_iterations = 100) {
  if (Count(jump) == 0) {
    g.attachNodeProperty(jump = 1.0);
  }
  if (Count(stranded) == 0) {
    g.attachNodeProperty(stranded = jump);
  }
  if (Count(rank) == 0) {
    g.attachNodeProperty(rank = jump);
  }
  double jumps = Sum(jump);
  double goals = Sum(stranded);
  double ranks = Sum(rank);
  forall (v in g.nodes()) {
    v.jump /= jumps;
    v.stranded /= goals;
    v.rank /= ranks;
  }
  propNode<double> out_weight;
  propNode<double> rank_nxt;
  forall (v in g.nodes()) {
    v.out_weight = 0.0;
    for (w in g.neighbors(v)) {
      edge e = g.get_edge(v, w);
      v.out_weight += e.weight;
    }
  }
  bool converged = False;
  int iterations = 0;
  while (!converged && iterations < max_iterations) {
    double lost = 0.0;
    forall (v in g.nodes().filter(out_weight == 0.0)) {
      lost += v.rank;
    }
    double change = 0.0;
    forall (v in g.nodes()) {
      double inflow = 0.0;
      for (u in g.nodes_to(v).filter(out_weight != 0.0)) {
        edge e = g.get_edge(u, v);
        inflow += u.rank * e.weight / u.out_weight;
      }
      v.rank_nxt = damping * (inflow + lost * v.stranded) + (1.0 - damping) * v.jump;
      change += abs(v.rank_nxt - v.rank);
    }
    rank = rank_nxt;
    converged = change < tolerance;
    iterations++;
  }
  return converged;
}
