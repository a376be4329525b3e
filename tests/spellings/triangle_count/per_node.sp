// forall; a count in each node, summed by Sum; pull on the own cell; a third of the sum
// names: triangles=return
function tc(Graph g) {
  propNode<long> corner;
  g.attachNodeProperty(corner = 0);
  forall (v in g.nodes()) {
    for (a in g.neighbors(v)) {
      for (b in g.neighbors(v)) {
        if (a < b && a != v && b != v && g.is_an_edge(a, b)) {
          v.corner += 1;
        }
      }
    }
  }
  return Sum(corner) / 3;
}
