// A vertex cover at most twice as large as the smallest: every arc has an end `in_cover`.
//
// Both ends of every edge of a maximal matching. In each round the nodes left choose the neighbor to whom the edge is
// worth most; two that chose each other are matched. Loops put their node into the cover at once.
function vertex_cover(Graph g, propNode<bool> in_cover) {
  propNode<node> partner;
  forall (v in g.nodes()) {
    v.in_cover = g.is_an_edge(v, v);
  }
  bool matched = True;
  while (matched) {
    matched = False;
    g.attachNodeProperty(partner = -1);
    forall (v in g.nodes().filter(!in_cover)) {
      long most = -1;
      for (u in g.inOutNbrs(v).filter(!in_cover)) {
        long worth = scatter(u) ^ scatter(v);
        if (worth > most) {
          most = worth;
          v.partner = u;
        }
      }
    }
    forall (v in g.nodes().filter(partner != -1)) {
      node u = v.partner;
      if (u.partner == v) {
        v.in_cover = True;
        matched = True;
      }
    }
  }
}

// Different for every node: an odd factor permutes the numbers below 2^32 (Knuth's multiplicative hashing).
function scatter(node v) {
  return v * 2654435761 % 4294967296;
}
