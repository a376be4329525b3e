function reach(Graph g, node src) {
  propNode<bool> seen;
  g.attachNodeProperty(seen = False);
  src.seen = True;
  return Count(seen);
}
function main(Graph g, propNode<long> size) {
  forall (v in g.nodes()) {
    v.size = reach(g, v);
  }
}
