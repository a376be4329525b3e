// A `forall` over neighbors that the host drives judged its filter when it came to each, not on entry; so did the passes
// of a search whose bodies the host runs, and loops whose filter reads a variable of the host.
function entry(Graph g, propNode<int> a, propNode<int> b, propNode<bool> used, node src) {
  int limit = 3;
  forall (w in g.neighbors(src).filter(!used)) {
    propNode<int> mine;
    forall (v in g.nodes()) {
      v.mine = v.a;
      v.used = True;
    }
    forall (v in g.nodes()) {
      v.b += v.mine;
    }
  }
  forall (w in g.nodes_to(src).filter(b < 2)) {
    propNode<int> one;
    g.attachNodeProperty(one = 1);
    forall (v in g.nodes()) {
      v.b += v.one;
    }
  }
  forall (w in g.inOutNbrs(src).filter(b < 40)) {
    propNode<int> ten;
    g.attachNodeProperty(ten = 10);
    forall (v in g.nodes()) {
      v.b += v.ten;
    }
  }
  forall (w in g.nodes().filter(a < limit)) {
    propNode<int> two;
    g.attachNodeProperty(two = 2);
    limit += 0 - w.two;
    w.b += 10;
  }
  iterateInBFS (v in g.nodes() from src).filter(b % 2 == 0) {
    propNode<int> three;
    g.attachNodeProperty(three = 3);
    forall (w in g.nodes()) {
      w.b += w.three;
    }
  }
  return limit;
}
