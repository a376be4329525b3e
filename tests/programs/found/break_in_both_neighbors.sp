// On the host a `break` among the out-neighbors did not leave out the in-neighbors.
function entry(Graph g, propNode<int> a, node src) {
  for (w in g.inOutNbrs(src)) {
    forall (x in g.nodes()) {
      x.a += w + 1;
    }
    if (w % 3 == 1) {
      break;
    }
  }
}
