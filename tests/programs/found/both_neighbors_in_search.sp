// `inOutNbrs` meant children and parents only where the host drove the search, and all neighbors elsewhere.
function entry(Graph g, propNode<int> a, propNode<int> b, node src) {
  iterateInBFS (v in g.nodes() from src) {
    forall (w in g.inOutNbrs(v)) {
      w.a += 1;
    }
  }
  iterateInBFS (v in g.nodes() from src) {
    propNode<int> one;
    g.attachNodeProperty(one = 1);
    forall (w in g.inOutNbrs(v)) {
      w.b += w.one;
    }
  } iterateInReverse {
    propNode<int> one;
    for (w in g.inOutNbrs(v)) {
      w.b += w.one + 2;
    }
  }
}
