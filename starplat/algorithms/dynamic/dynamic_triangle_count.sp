// Counts the triangles of an undirected graph that changes, after the last batch of updates.
//
// Parallel edges count once, loops are no part of any. A batch takes away the triangles with an edge among the deleted
// ones, then adds those with an edge among the new. Makkar, Bader and Green, "Exact and parallel triangle counting in
// dynamic graphs", HiPC 2017.
Dynamic dynamic_triangle_count(Graph g, updates<g> changes, int batch = 1000) {
  propEdge<bool> marked;
  forall (e in g.edges()) {
    e.marked = e == g.get_edge(e.source, e.destination);
  }
  long triangles = with_marked(g, marked);
  Batch (changes : batch) {
    g.attachEdgeProperty(marked = False);
    OnDelete (u in changes.currentBatch(0)) {
      edge e = g.get_edge(u.source, u.destination);
      if (e != -1) {
        e.marked = True;
      }
    }
    triangles -= with_marked(g, marked);
    g.updateCSRDel(changes);
    propEdge<bool> old;
    g.attachEdgeProperty(old = True, marked = False);
    g.updateCSRAdd(changes);
    OnAdd (u in changes.currentBatch(1)) {
      edge e = g.get_edge(u.source, u.destination);
      if (!e.old) {
        e.marked = True;
      }
    }
    triangles += with_marked(g, marked);
  }
  return triangles;
}

// The triangles that have a marked edge. Of parallel arcs the first may be marked, in both directions. A triangle with
// k marked edges is found at 2k arcs, each time with 6 / k of its twelve parts.
function with_marked(Graph g, propEdge<bool> marked) {
  long parts = 0;
  forall (e in g.edges().filter(marked)) {
    node a = e.source;
    node b = e.destination;
    if (g.count_outNbrs(b) < g.count_outNbrs(a)) {
      a = e.destination;
      b = e.source;
    }
    node last = -1;
    for (c in g.neighbors(a)) {
      edge second = g.get_edge(a, c);
      if (c != last && c != a && c != b && a != b) {
        edge third = g.get_edge(b, c);
        if (third != -1) {
          int edges = 1 + second.marked + third.marked;
          parts += 6 / edges;
        }
      }
      last = c;
    }
  }
  return parts / 12;
}
