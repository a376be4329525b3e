// A maximal independent set: no two nodes `in_set` are joined by an arc, and nobody else could be added.
//
// Luby's method: a node joins when its priority beats that of all undecided neighbors, who then stay out. Priorities
// are scattered but fixed, so the answer is always the same.
function maximal_independent_set(Graph g, propNode<bool> in_set) {
  propNode<bool> undecided;
  g.attachNodeProperty(in_set = False, undecided = True);
  bool finished = False;
  fixedPoint until (finished : !undecided) {
    forall (v in g.nodes().filter(undecided)) {
      bool wins = True;
      for (u in g.inOutNbrs(v).filter(undecided && u != v)) {
        if (priority(u) > priority(v)) {
          wins = False;
        }
      }
      v.in_set = wins;
    }
    forall (v in g.nodes().filter(undecided)) {
      bool decided = v.in_set;
      for (u in g.inOutNbrs(v)) {
        if (u.in_set) {
          decided = True;
        }
      }
      v.undecided = !decided;
    }
  }
}

// Different for every node: an odd factor permutes the numbers below 2^32 (Knuth's multiplicative hashing).
function priority(node v) {
  return v * 2654435761 % 4294967296;
}
