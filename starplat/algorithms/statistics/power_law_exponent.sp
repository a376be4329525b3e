// The exponent of a power law of degrees: returns alpha where a degree d is about as frequent as d to the power -alpha.
//
// The likeliest one for the nodes that at least `smallest` arcs leave, by the approximation for whole numbers that is
// good from `smallest` = 6 on (Clauset, Shalizi and Newman). It says nothing of whether degrees follow such a law. INF
// if there is no such node.
function power_law_exponent(Graph g, int smallest = 6) {
  double logarithms = 0.0;
  double nodes = 0.0;
  double least = smallest - 0.5;
  forall (v in g.nodes().filter(g.count_outNbrs(v) >= smallest)) {
    logarithms += log(g.count_outNbrs(v) / least);
    nodes += 1.0;
  }
  double alpha = INF;
  if (logarithms > 0.0) {
    alpha = 1.0 + nodes / logarithms;
  }
  return alpha;
}
