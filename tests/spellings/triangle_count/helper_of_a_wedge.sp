// a helper says whether three nodes are a triangle in order; while loops none; middle first
// names: triangles=return
function is_triangle(Graph g, node a, node b, node c) {
  return a < b && b < c && g.is_an_edge(a, c);
}
function count(Graph g) {
  long triangles = 0;
  forall (b in g.nodes()) {
    forall (a in g.nodes_to(b)) {
      forall (c in g.neighbors(b)) {
        if (is_triangle(g, a, b, c)) {
          triangles += 1;
        }
      }
    }
  }
  return triangles;
}
