// forall; a count in each node of the triangles in which it is the greatest; the counts are summed in a loop
// names: triangles=return
function tri(Graph g) {
  propNode<int> closed;
  g.attachNodeProperty(closed = 0);
  forall (c in g.nodes()) {
    int n = 0;
    forall (a in g.neighbors(c).filter(a < c)) {
      forall (b in g.neighbors(a).filter(b > a && b < c)) {
        if (g.get_edge(b, c) >= 0) {
          n += 1;
        }
      }
    }
    c.closed = n;
  }
  long all = 0;
  forall (c in g.nodes()) {
    all += c.closed;
  }
  return all;
}
