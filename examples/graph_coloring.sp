// Colors the nodes so that no arc joins two of one `color`, with few colors, 0 being the first.
//
// A node wishes for the lowest color that no neighbor has. It gets it if it comes before all neighbors that wish for the
// same: those with many neighbors come first (Welsh and Powell), among equals the order is scattered but fixed, so that
// the answer is always the same. Nodes note the colors of neighbors as bits, those of a window of 32 colors at a time.
function graph_coloring(Graph g, propNode<int> color) {
  propNode<int> window;
  propNode<int> taken;
  propNode<int> wish;
  propNode<bool> waits;
  g.attachNodeProperty(color = -1, window = 0, taken = 0, wish = 0, waits = False);
  long left = g.num_nodes();
  while (left > 0) {
    bool full = False;
    forall (v in g.nodes().filter(color < 0)) {
      bool blocked = False;
      for (u in g.inOutNbrs(v)) {
        if (lowest_free(u.taken) == lowest_free(v.taken) && rank(g, u) > rank(g, v)) {
          blocked = True;
          break;
        }
      }
      v.wish = lowest_free(v.taken);
      v.waits = blocked || v.wish == 0;
      if (v.wish == 0) {
        v.window += 1;
        full = True;
      }
    }
    forall (v in g.nodes().filter(color < 0 && !waits)) {
      v.color = v.window * 32 + place(v.wish);
      v.taken |= -1;
      left -= 1;
      forall (u in g.inOutNbrs(v)) {
        if (u.waits && u.window == v.window) {
          u.taken |= v.wish;
        }
      }
    }
    if (full) {
      forall (v in g.nodes().filter(color < 0 && wish == 0)) {
        int seen = 0;
        for (u in g.inOutNbrs(v)) {
          if (u.color >> 5 == v.window) {
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
