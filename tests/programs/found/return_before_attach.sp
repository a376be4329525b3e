// The first contents of `a` were not given to the device: `a` is overwritten only where nothing was returned before.
function entry(Graph g, propNode<int> a, int k) {
  if (k > 0) {
    return 1;
  }
  g.attachNodeProperty(a = 7);
  return 2;
}
