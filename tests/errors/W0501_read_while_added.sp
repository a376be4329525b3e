// Some iterations see the sum half done.
function f(Graph g, propNode<int> x, propNode<int> y) {
  forall (v in g.nodes()) {
    for (w in g.neighbors(v)) {
      w.x += 1;
      v.y = w.x;
    }
  }
}
