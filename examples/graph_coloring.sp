// Colors the nodes so that no arc joins two of one `color`, with few colors, 0 being the first.
//
// A node wishes for the lowest color that no neighbor has. It gets it if it comes before all neighbors that wish for the
// same: those with many neighbors come first (Welsh and Powell), among equals the order is scattered but fixed, so that
// the answer is always the same. Nodes note the colors of neighbors as bits, those of a window of 32 colors at a time;
// while a node waits, its `color` is the complement of the window's number, which is negative.
function graph_coloring(Graph g, propNode<int> color) {
  propNode<int> taken;
  propNode<bool> wins;
  propNode<bool> full;
  g.attachNodeProperty(color = -1, taken = 0, wins = False, full = False);
  long left = g.num_nodes();
  while (left > 0) {
    bool some_full = False;
    forall (v in g.nodes().filter(color < 0)) {
      bool blocked = False;
      for (u in g.inOutNbrs(v)) {
        if (lowest_free(u.taken) == lowest_free(v.taken) && rank(g, u) > rank(g, v)) {
          blocked = True;
          break;
        }
      }
      v.full = v.taken == -1;
      v.wins = !(blocked || v.taken == -1);
      if (v.taken == -1) {
        v.color -= 1;
        some_full = True;
      } else if (!blocked) {
        v.color = ~v.color * 32 + place(lowest_free(v.taken));
        left -= 1;
      }
    }
    forall (v in g.nodes().filter(wins)) {
      v.wins = False;
      v.taken |= -1;
      forall (u in g.inOutNbrs(v)) {
        if (u.color == ~(v.color >> 5)) {
          u.taken |= 1 << v.color;
        }
      }
    }
    if (some_full) {
      forall (v in g.nodes().filter(color < 0 && full)) {
        int seen = 0;
        for (u in g.inOutNbrs(v)) {
          if (u.color >> 5 == ~v.color) {
            seen |= 1 << u.color;
          }
        }
        v.taken = seen;
      }
    }
  }
}

// The lowest bit that is not set, alone; 0 if all are set.
function lowest_free(int bits) {
  return ~bits & bits + 1;
}

// The place of the only bit.
function place(int bit) {
  int place = 0;
  while ((bit >> place & 1) == 0) {
    place += 1;
  }
  return place;
}

// Different for every node: an odd factor permutes the numbers below 2^32 (Knuth's multiplicative hashing).
function rank(Graph g, node v) {
  return g.count_outNbrs(v) * 4294967296 + v * 2654435761 % 4294967296;
}
