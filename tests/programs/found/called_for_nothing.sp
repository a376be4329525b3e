// What is worked out and never read is left out, but not the call that changes cells on the way.
function mark(propNode<int> c, node v, int by) {
  v.c += by;
  return by;
}

function entry(Graph g, propNode<int> c, propNode<long> d) {
  forall (v in g.nodes()) {
    int unused = mark(c, v, 7);
    int partly = mark(c, v, 2) + 3;
    int more = v.c * 2;
    more += 5;
  }
  forall (v in g.nodes()) {
    for (w in g.neighbors(v)) {
      edge between = g.get_edge(v, w);
      v.d += 2;
    }
  }
}
