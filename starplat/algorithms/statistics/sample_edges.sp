// A random sample of edges: returns the number of arcs; `chosen` marks every edge with probability `share`.
//
// Each by itself, but an arc u -> v and an arc v -> u of the same rank are chosen together, so that a sample of an
// undirected graph is one. The same `seed` gives the same sample on every target, and a larger share one that holds the
// smaller.
function sample_edges(Graph g, propEdge<bool> chosen, double share = 0.1, long seed = 1) {
  long arcs = 0;
  forall (e in g.edges()) {
    edge back = e.reverse;
    e.chosen = random(seed, back == -1 ? e : min(e, back)) < share;
    if (e.chosen) {
      arcs += 1;
    }
  }
  return arcs;
}
