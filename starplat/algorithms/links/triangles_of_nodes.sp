// Triangles of every node: `triangles` counts the pairs of its neighbors that an edge joins.
//
// The graph is undirected. Loops are no part of a triangle; of parallel edges each counts.
function triangles_of_nodes(Graph g, propNode<long> triangles) {
  forall (v in g.nodes()) {
    v.triangles = 0;
    for (u in g.neighbors(v).filter(u != v)) {
      for (w in g.neighbors(v).filter(w > u && w != v)) {
        if (g.is_an_edge(u, w)) {
          v.triangles += 1;
        }
      }
    }
  }
}
