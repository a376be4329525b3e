// As a pull that counts the arcs from reached nodes, but one such arc is not enough.
// names: reached=in src=root
function reach(Graph g, propNode<bool> in, node root) {
  g.attachNodeProperty(in = False);
  root.in = True;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(in == False)) {
      int from = 0;
      for (u in g.nodes_to(v)) {
        if (u.in) {
          from += 1;
        }
      }
      if (from > 1) {
        v.in = True;
        more = True;
      }
    }
  }
}
