// while (count != before); nodes that are not reached count their reached in-neighbors; no frontier
// names: reached=in src=root
function reach(Graph g, propNode<bool> in, node root) {
  forall (v in g.nodes()) {
    v.in = v == root;
  }
  long before = 0;
  long count = 1;
  while (count != before) {
    before = count;
    long more = 0;
    forall (v in g.nodes().filter(in == False)) {
      int from = 0;
      for (u in g.nodes_to(v)) {
        if (u.in) {
          from += 1;
        }
      }
      if (from > 0) {
        v.in = True;
        more += 1;
      }
    }
    count = before + more;
  }
}
