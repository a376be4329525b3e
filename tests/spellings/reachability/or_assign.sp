// while; no frontier; pull; ||= on the own cell; the number of reached nodes says whether a round changed any
// names: reached=hit
function reach(Graph g, propNode<bool> hit, node src) {
  g.attachNodeProperty(hit = False);
  src.hit = True;
  long before = 0;
  long after = 1;
  while (after > before) {
    before = after;
    forall (v in g.nodes()) {
      for (u in g.nodes_to(v)) {
        v.hit ||= u.hit;
      }
    }
    after = Count(hit);
  }
}
