function f(Graph g, propNode<int> dist, node src) {
  propNode<bool> visited;
  src.dist = 0;
  forall (v in g.nodes()) {
    if (!v.visited) {
      v.dist = 1;
    }
  }
}
