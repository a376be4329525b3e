// A heavy matching: returns the weight of its edges, of which no two share a node; `partner` is a node's other end.
//
// It is -1 for nodes without a partner. At least half as heavy as the heaviest: every edge left out, but those of weight
// 0 or less, touches one at least as heavy. In each round the nodes left choose their heaviest edge, of equal ones by a
// scattered but fixed order; two that chose each other are matched (Preis; Manne and Bisseling). The graph is undirected;
// loops match no node.
function heavy_matching(Graph g, propNode<node> partner, propEdge<double> weight) {
  propNode<node> choice;
  propNode<double> heaviest;
  g.attachNodeProperty(partner = -1);
  double total = 0.0;
  bool matched = True;
  while (matched) {
    matched = False;
    forall (v in g.nodes()) {
      v.choice = -1;
      v.heaviest = 0.0;
      long most = -1;
      for (u in g.neighbors(v).filter(partner == -1 && u != v && v.partner == -1)) {
        edge e = g.get_edge(v, u);
        long worth = scatter(u) ^ scatter(v);
        if (e.weight > v.heaviest || e.weight == v.heaviest && v.choice != -1 && worth > most) {
          v.heaviest = e.weight;
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
        total += v < u ? v.heaviest : 0.0;
      }
    }
  }
  return total;
}

// Different for every node: an odd factor permutes the numbers below 2^32 (Knuth's multiplicative hashing).
function scatter(node v) {
  return v * 2654435761 % 4294967296;
}
