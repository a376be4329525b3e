function f(Graph g, propNode<double> share, int part, int whole) {
  forall (v in g.nodes()) {
    v.share = (double)part / whole;
    v.share += (int) (v.share * 3.5) + bool(part);
  }
}
