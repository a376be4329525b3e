// The first contents of `a` were not given to the device: the attach that overwrites `a` reads it, too.
function entry(Graph g, propNode<long> a, node src) {
  g.attachNodeProperty(a = src.a / 5 + 3);
}
