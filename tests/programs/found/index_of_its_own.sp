// In a checked run the host's check of the node took the name of a variable that the kernel had taken already.
function entry(Graph g, propNode<int> a, node src) {
  forall (w in g.neighbors(src)) {
    int index = w + 1;
    w.a += index;
  }
}
