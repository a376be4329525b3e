// A random sample of nodes: returns their number; `chosen` marks every node with probability `share`, each by itself.
//
// The same `seed` gives the same sample on every target, and a larger share one that holds the smaller.
function sample_nodes(Graph g, propNode<bool> chosen, double share = 0.1, long seed = 1) {
  forall (v in g.nodes()) {
    v.chosen = random(seed, v) < share;
  }
  return Count(chosen);
}
