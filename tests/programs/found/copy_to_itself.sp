// A property copied to itself, by name or through a function, is a copy that overlaps: OpenCL refuses that.
function copy(Graph g, propNode<int> to, propNode<int> from) {
  to = from;
}
function entry(Graph g, propNode<int> a, propNode<int> b) {
  a = a;
  copy(g, b, b);
  copy(g, b, a);
  g.attachNodeProperty(a = a, b = b);
}
