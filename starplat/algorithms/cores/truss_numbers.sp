// Truss numbers: `truss` is the largest k such that an edge is in a subgraph where each is in k - 2 triangles.
//
// At least 2; the k-truss is the edges of k and more (Cohen). Peels off, for k = 2, 3, …, the edges in at most k - 2
// triangles of what is left. The graph is undirected, without loops and parallel edges.
function truss_numbers(Graph g, propEdge<int> truss) {
  propEdge<int> found;
  propEdge<int> triangles;
  propEdge<bool> peeling;
  g.attachEdgeProperty(found = 0, triangles = 0, peeling = False);
  forall (e in g.edges()) {
    node fewer = g.count_outNbrs(e.source) < g.count_outNbrs(e.destination) ? e.source : e.destination;
    node more = fewer == e.source ? e.destination : e.source;
    for (w in g.common_neighbors(fewer, more)) {
      e.triangles += 1;
    }
  }
  long left = g.num_edges() / 2;
  int k = 2;
  while (left > 0) {
    long peeled = 0;
    forall (e in g.edges().filter(found == 0 && triangles <= k - 2 && e.source < e.destination)) {
      e.found = k;
      e.peeling = True;
      peeled += 1;
    }
    forall (e in g.edges().filter(peeling)) {
      node fewer = g.count_outNbrs(e.source) < g.count_outNbrs(e.destination) ? e.source : e.destination;
      node more = fewer == e.source ? e.destination : e.source;
      for (w in g.common_neighbors(fewer, more)) {
        edge a = one_of_both(g, fewer, w);
        edge b = one_of_both(g, more, w);
        bool a_there = a.found == 0 || a.peeling;
        bool b_there = b.found == 0 || b.peeling;
        // Of two edges that leave a triangle together the first tells the third.
        if (a_there && b.found == 0 && (!a.peeling || e < a)) {
          b.triangles -= 1;
        }
        if (b_there && a.found == 0 && (!b.peeling || e < b)) {
          a.triangles -= 1;
        }
      }
    }
    g.attachEdgeProperty(peeling = False);
    left -= peeled;
    if (peeled == 0) {
      k += 1;
    }
  }
  forall (e in g.edges()) {
    edge known = one_of_both(g, e.source, e.destination);
    e.truss = known.found;
  }
}

// That arc of an edge which leads to the larger node.
function one_of_both(Graph g, node a, node b) {
  return g.get_edge(min(a, b), max(a, b));
}
