// Colors the nodes so that no arc joins two of one `color`, with few colors, 0 being the first.
//
// Jones and Plassmann's method: a node whose priority beats that of all uncolored neighbors takes the smallest color
// that they left free. Priorities are scattered but fixed, so the answer is always the same.
function graph_coloring(Graph g, propNode<int> color) {
  propNode<int> color_nxt;
  g.attachNodeProperty(color = -1, color_nxt = -1);
  bool finished = False;
  fixedPoint until (finished : color >= 0) {
    forall (v in g.nodes().filter(color == -1)) {
      bool wins = True;
      for (u in g.inOutNbrs(v).filter(color == -1 && u != v)) {
        if (priority(u) > priority(v)) {
          wins = False;
        }
      }
      if (wins) {
        int free = -1;
        bool taken = True;
        while (taken) {
          free += 1;
          taken = False;
          for (u in g.inOutNbrs(v).filter(color == free)) {
            taken = True;
          }
        }
        v.color_nxt = free;
      }
    }
    color = color_nxt;
  }
}

// Different for every node: an odd factor permutes the numbers below 2^32 (Knuth's multiplicative hashing).
function priority(node v) {
  return v * 2654435761 % 4294967296;
}
