// wedges around each node with ends in order, a third of those that an arc closes; the sum is a property first
// names: triangles=return
function count(Graph g) {
  propNode<long> closed;
  g.attachNodeProperty(closed = 0);
  forall (v in g.nodes()) {
    forall (a in g.neighbors(v).filter(a != v)) {
      forall (b in g.neighbors(v).filter(b > a && b != v)) {
        if (g.is_an_edge(a, b)) {
          v.closed += 1;
        }
      }
    }
  }
  return Sum(closed) / 3;
}
