function reach(Graph g, propNode<bool> seen, node src) {
  src.seen = True;
  bool done = False;
  fixedPoint until (done : seen) {
    forall (v in g.nodes().filter(seen)) {
      forall (w in g.neighbors(v)) {
        w.seen = True;
      }
    }
  }
}
