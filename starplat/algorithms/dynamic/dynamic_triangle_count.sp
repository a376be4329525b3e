// Counts the triangles of an undirected graph that changes, after the last batch of updates.
//
// Parallel edges count once, loops are no part of any. A batch takes away the triangles with an edge among the deleted
// ones, then adds those with an edge among the new. Makkar, Bader and Green, "Exact and parallel triangle counting in
// dynamic graphs", HiPC 2017.
Dynamic dynamic_triangle_count(Graph g, updates<g> changes, int batch = 1000) {
  propEdge<bool> counted;
  g.attachEdgeProperty(counted = False);
  long triangles = with_others(g, counted);
  g.attachEdgeProperty(counted = True);
  Batch (changes : batch) {
    OnDelete (u in changes.currentBatch(0)) {
      edge e = g.get_edge(u.source, u.destination);
      if (e != -1) {
        e.counted = False;
      }
    }
    triangles -= with_others(g, counted);
    g.updateCSRDel(changes);
    g.updateCSRAdd(changes);
    triangles += with_others(g, counted);
    g.attachEdgeProperty(counted = True);
  }
  return triangles;
}

// The triangles that have an edge which is not counted, as those that updates add are; of parallel arcs the first
// tells. Each is found once for every such edge, at the end with fewer neighbors.
function with_others(Graph g, propEdge<bool> counted) {
  long parts = 0;
  forall (e in g.edges().filter(!counted)) {
    node a = e.source;
    node b = e.destination;
    bool swap = g.count_outNbrs(b) < g.count_outNbrs(a);
    node low = swap ? b : a;
    node high = swap ? a : b;
    if (a < b && e == g.get_edge(a, b)) {
      forall (c in g.neighbors(low)) {
        edge second = g.get_edge(low, c);
        if (c != a && c != b) {
          edge third = g.get_edge(high, c);
          if (third != -1 && second == g.get_edge(second.source, second.destination)) {
            int others = 1 + (second.counted ? 0 : 1) + (third.counted ? 0 : 1);
            parts += 6 / others;
          }
        }
      }
    }
  }
  return parts / 6;
}
