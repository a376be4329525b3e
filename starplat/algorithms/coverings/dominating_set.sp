// A dominating set: returns its number of nodes; every node is `in_set` or has a neighbor that is.
//
// At most 2 (1 + ln d) times as many as needed, where d is the most nodes that one can reach. In each round every node
// not yet reached votes for the one that would reach most such nodes, of equals by a scattered but fixed order; a node
// that has the votes of half of those that it would reach joins (Chvátal's greedy choice, made at many places at once). The
// graph is undirected.
function dominating_set(Graph g, propNode<bool> in_set) {
  propNode<bool> reached;
  propNode<long> gain;
  propNode<int> votes;
  g.attachNodeProperty(in_set = False, reached = False);
  long left = g.num_nodes();
  while (left > 0) {
    forall (v in g.nodes()) {
      v.votes = 0;
      v.gain = v.reached ? 0 : 1;
      node last = v;
      for (w in g.neighbors(v).filter(!reached && w != v)) {
        v.gain += w == last ? 0 : 1; // parallel edges
        last = w;
      }
    }
    forall (w in g.nodes().filter(!reached)) {
      node best = w;
      for (v in g.neighbors(w).filter(gain >= best.gain)) {
        if (v.gain > best.gain || scatter(v) > scatter(best)) {
          best = v;
        }
      }
      best.votes += 1;
    }
    forall (v in g.nodes().filter(votes > 0)) {
      if (2 * v.votes >= v.gain) {
        v.in_set = True;
      }
    }
    left = 0;
    forall (v in g.nodes().filter(!reached)) {
      bool now = v.in_set;
      for (w in g.neighbors(v).filter(in_set)) {
        now = True;
      }
      v.reached = now;
      left += now ? 0 : 1;
    }
  }
  return Count(in_set);
}

// Different for every node: an odd factor permutes the numbers below 2^32 (Knuth's multiplicative hashing).
function scatter(node v) {
  return v * 2654435761 % 4294967296;
}
