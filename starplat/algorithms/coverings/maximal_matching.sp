// A maximal matching: returns its number of edges, of which no two share a node; `partner` is a node's other end.
//
// It is -1 for nodes without a partner; no edge joins two of them. At least half as many edges as the most possible. In
// each round the nodes left choose the neighbor to which the edge is worth most, by a scattered but fixed order; two that
// chose each other are matched (Preis; Manne and Bisseling). Arcs are taken both ways; loops match no node.
function maximal_matching(Graph g, propNode<node> partner) {
  propNode<node> choice;
  g.attachNodeProperty(partner = -1);
  long edges = 0;
  bool matched = True;
  while (matched) {
    matched = False;
    forall (v in g.nodes()) {
      v.choice = -1;
      long most = -1;
      for (u in g.inOutNbrs(v).filter(partner == -1 && u != v && v.partner == -1)) {
        long worth = scatter(u) ^ scatter(v);
        if (worth > most) {
          most = worth;
          v.choice = u;
        }
      }
    }
    forall (v in g.nodes().filter(choice != -1)) {
      node u = v.choice;
      if (u.choice == v) {
        v.partner = u;
        matched = True;
        edges += v < u ? 1 : 0;
      }
    }
  }
  return edges;
}

// Different for every node: an odd factor permutes the numbers below 2^32 (Knuth's multiplicative hashing).
function scatter(node v) {
  return v * 2654435761 % 4294967296;
}
