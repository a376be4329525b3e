// Degree assortativity: returns the correlation of the degrees at the two ends of an arc, from -1 to 1 (Newman).
//
// Positive where nodes of many neighbors join each other. In a directed graph the degrees are the arcs that leave the
// source and those that come to the destination. It is 0 where all degrees at an end are the same, which leaves nothing
// to correlate. An undirected graph has no loops.
function degree_assortativity(Graph g) {
  double arcs = max(g.num_edges(), 1);
  double sources = 0.0;
  double destinations = 0.0;
  forall (v in g.nodes()) {
    double leaving = g.count_outNbrs(v);
    double coming = g.count_inNbrs(v);
    sources += leaving * leaving;
    destinations += coming * coming;
  }
  double mean_source = sources / arcs;
  double mean_destination = destinations / arcs;
  double together = 0.0;
  forall (v in g.nodes()) {
    double sum = 0.0;
    for (w in g.neighbors(v)) {
      sum += g.count_inNbrs(w) - mean_destination;
    }
    together += (g.count_outNbrs(v) - mean_source) * sum;
  }
  double spread_source = 0.0;
  double spread_destination = 0.0;
  forall (v in g.nodes()) {
    double leaving = g.count_outNbrs(v);
    double coming = g.count_inNbrs(v);
    spread_source += leaving * (leaving - mean_source) * (leaving - mean_source);
    spread_destination += coming * (coming - mean_destination) * (coming - mean_destination);
  }
  double spread = sqrt(spread_source * spread_destination);
  return spread > 0.0 ? together / spread : 0.0;
}
