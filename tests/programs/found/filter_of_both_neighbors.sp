// A `forall` over `inOutNbrs` judged the filter of the in-neighbors after the out-neighbors' iterations.
function entry(Graph g, propNode<int> a, propNode<bool> seen, node src) {
  forall (v in g.inOutNbrs(src).filter(!seen)) {
    src.seen = True;
    forall (w in g.nodes_to(src)) {
      w.seen = True;
    }
    v.a += 1;
  }
}
