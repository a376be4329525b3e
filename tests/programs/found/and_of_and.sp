// The interpreter took `not` of the first of the two only.
function entry(Graph g, propNode<bool> seen, int k, node src) {
  seen[src] = True;
  forall (v in g.nodes()) {
    v.seen = v.seen && (k >= k && v + k > 1000);
  }
}
