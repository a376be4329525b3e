// do…while; pull: each node takes the least label around it; a temporary; the own cell by if
// names: component=id
function cc(Graph g, propNode<int> id) {
  forall (v in g.nodes()) {
    v.id = v;
  }
  bool more;
  do {
    more = False;
    forall (v in g.nodes()) {
      int least = v.id;
      for (u in g.nodes_to(v)) {
        least = min(least, u.id);
      }
      for (w in g.neighbors(v)) {
        least = min(least, w.id);
      }
      if (least < v.id) {
        v.id = least;
        more = True;
      }
    }
  } while (more);
}
