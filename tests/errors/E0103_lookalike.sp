function f(Graph g, propNode<int> dist) {
  int größe = g.num_nodes();
  forall (v in g.nodes()) {
    if (v.dist ≤ größe – 1) {
      v.dist = 1;
    }
  }
  print(“done”);
}
