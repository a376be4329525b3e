// A reduction by Max needs the least int; the run-time compiler of CUDA knew it only where the greatest was named, too.
function entry(Graph g, propEdge<int> p, propNode<int> a) {
  int most = Max(p);
  forall (v in g.nodes()) {
    v.a = most;
  }
}
