// Counts the triangles of an undirected graph, each once.
//
// A triangle u < v < w is found at its middle node. Loops are no part of any; of parallel edges each counts, so a
// graph that may hold some is read with `--dedup`.
function triangle_count(Graph g) {
  long triangles = 0;
  forall (v in g.nodes()) {
    forall (u in g.neighbors(v).filter(u < v)) {
      forall (w in g.neighbors(v).filter(w > v)) {
        if (g.is_an_edge(u, w)) {
          triangles += 1;
        }
      }
    }
  }
  return triangles;
}
