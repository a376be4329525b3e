// each node's pairs of greater neighbors, kept in a property and summed behind; if with continue
// names: triangles=return
function triangles(Graph g) {
  propNode<long> own;
  g.attachNodeProperty(own = 0);
  forall (u in g.nodes()) {
    forall (v in g.neighbors(u)) {
      if (v <= u) {
        continue;
      }
      forall (w in g.neighbors(u)) {
        if (w <= v) {
          continue;
        }
        if (g.is_an_edge(v, w)) {
          u.own += 1;
        }
      }
    }
  }
  long all = 0;
  for (u in g.nodes()) {
    all = all + u.own;
  }
  return all;
}
