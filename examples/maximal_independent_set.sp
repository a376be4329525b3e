// A maximal independent set: no two nodes `in_set` are joined by an arc, and no other node could be added.
//
// Luby's method: a node joins when its rank is below that of all undecided neighbors, which then stay out. Nodes with few
// neighbors come first, so that the set is large and soon complete (Burtscher, Devale, Azimi, Jaiganesh and Powers'
// ECL-MIS); among equals, ranks are scattered but fixed, so the answer is always the same.
function maximal_independent_set(Graph g, propNode<bool> in_set) {
  propNode<bool> undecided;
  propNode<bool> joins;
  g.attachNodeProperty(in_set = False, undecided = True, joins = False);
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(undecided)) {
      bool wins = True;
      for (u in g.inOutNbrs(v).filter(undecided && u != v)) {
        if (rank(g, u) < rank(g, v)) {
          wins = False;
          break;
        }
      }
      v.joins = wins;
      more = more || !wins;
    }
    forall (v in g.nodes().filter(joins)) {
      v.in_set = True;
      v.joins = False;
      v.undecided = False;
      forall (u in g.inOutNbrs(v)) {
        u.undecided = False;
      }
    }
  }
}

// Different for every node: an odd factor permutes the numbers below 2^32 (Knuth's multiplicative hashing).
function rank(Graph g, node v) {
  return g.count_outNbrs(v) * 4294967296 + v * 2654435761 % 4294967296;
}
