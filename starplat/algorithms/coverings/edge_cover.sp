// An edge cover: returns the number of its edges, which touch every node that has any; `in_cover` marks one arc of each.
//
// At most one and a half times as many as needed: a maximal matching, and one edge for every node without a partner. The
// graph is undirected, without loops.
function edge_cover(Graph g, propEdge<bool> in_cover) {
  propNode<node> partner;
  propNode<node> choice;
  g.attachEdgeProperty(in_cover = False);
  g.attachNodeProperty(partner = -1);
  bool matched = True;
  while (matched) {
    matched = False;
    forall (v in g.nodes()) {
      v.choice = -1;
      long most = -1;
      for (u in g.neighbors(v).filter(partner == -1 && v.partner == -1)) {
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
      }
    }
  }
  long edges = 0;
  forall (v in g.nodes().filter(g.count_outNbrs(v) > 0)) {
    node other = v.partner;
    if (other == -1) {
      for (u in g.neighbors(v)) {
        other = u;
      }
    }
    if (v.partner == -1 || v < other) {
      edge e = g.get_edge(v, other);
      e.in_cover = True;
      edges += 1;
    }
  }
  return edges;
}

// Different for every node: an odd factor permutes the numbers below 2^32 (Knuth's multiplicative hashing).
function scatter(node v) {
  return v * 2654435761 % 4294967296;
}
