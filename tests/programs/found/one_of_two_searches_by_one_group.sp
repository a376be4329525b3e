// Where one group runs the rounds of the first search, only what that one keeps moves to the device.
function entry(Graph g, propNode<int> a, propNode<int> b, propNode<int> c, node src) {
  int reached = 0;
  iterateInBFS (v in g.nodes() from src) {
    forall (w in g.neighbors(v)) {
      w.a += 1;
    }
  }
  iterateInReverse {
    forall (w in g.neighbors(v)) {
      v.b += w.a;
    }
  }
  iterateInBFS (u in g.nodes() from src) {
    reached += 1;
  }
  iterateInReverse {
    reached += u.b;
    u.c = 1;
  }
  return reached;
}
