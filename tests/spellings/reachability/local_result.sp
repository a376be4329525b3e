// while; the result is a local, copied at the end; the scalar is counted; pull with a temporary
// names: reached=out
function reach(Graph g, propNode<bool> out, node src) {
  propNode<bool> got;
  g.attachNodeProperty(got = False);
  src.got = True;
  int fresh = 1;
  while (fresh > 0) {
    fresh = 0;
    forall (v in g.nodes().filter(!got)) {
      bool any = False;
      for (u in g.nodes_to(v)) {
        any = any || u.got;
      }
      if (any) {
        v.got = True;
        fresh++;
      }
    }
  }
  out = got;
}
