// Colors the nodes so that no arc joins two of one `color`, with few colors, 0 being the first.
//
// A node wishes for the lowest color that no neighbor has. It gets it if it comes before all neighbors who wish for the
// same: those with many neighbors come first (Welsh and Powell), among equals the order is scattered but fixed, so that
// the answer is always the same. Neighbors note the color, one bit for each of the 32 around their own wish.
function graph_coloring(Graph g, propNode<int> color) {
  propNode<int> wish;
  propNode<int> taken;
  propNode<bool> waits;
  propNode<bool> beyond;
  g.attachNodeProperty(color = -1, wish = 0, taken = 0, waits = False, beyond = False);
  long left = g.num_nodes();
  while (left > 0) {
    forall (v in g.nodes().filter(wish >= 0)) {
      for (u in g.inOutNbrs(v)) {
        if (u.wish == v.wish && rank(g, u) > rank(g, v)) {
          v.waits = True;
          break;
        }
      }
    }
    forall (v in g.nodes().filter(wish >= 0 && !waits)) {
      forall (u in g.inOutNbrs(v)) {
        if (u.wish >= 0 && u.wish <= v.wish && u.wish / 32 == v.wish / 32) {
          u.taken |= 1 << v.wish;
        }
      }
    }
    forall (v in g.nodes().filter(wish >= 0)) {
      if (v.waits) {
        int next = free_color(v.taken, v.wish);
        v.waits = False;
        if (next % 32 == 0 && next > v.wish) {
          v.waits = True;
          v.beyond = True;
        }
        v.wish = next;
      } else {
        v.color = v.wish;
        v.wish = -1;
        left -= 1;
      }
    }
    forall (v in g.nodes().filter(beyond)) {
      v.beyond = False;
      int seen = 0;
      for (u in g.inOutNbrs(v)) {
        if (u.color >= v.wish && u.color < v.wish + 32) {
          seen |= 1 << u.color;
        }
      }
      v.taken = seen;
    }
  }
}

// The first color from `least` on that is not taken, of those noted in the same word; else the first of the next word.
function free_color(int taken, int least) {
  int color = least;
  while (color < (least / 32 + 1) * 32 && (taken >> color & 1) != 0) {
    color += 1;
  }
  return color;
}

// Different for every node: an odd factor permutes the numbers below 2^32 (Knuth's multiplicative hashing).
function rank(Graph g, node v) {
  return g.count_outNbrs(v) * 4294967296 + v * 2654435761 % 4294967296;
}
