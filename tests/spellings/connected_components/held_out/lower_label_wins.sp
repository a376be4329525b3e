// do … while on a count; ifs on both ends of an edge in place of Min; labels are ints in temporaries
// names: component=group
function components(Graph g, propNode<int> group) {
  forall (v in g.nodes()) {
    v.group = v;
  }
  long moved = 0;
  do {
    moved = 0;
    forall (v in g.nodes()) {
      int least = v.group;
      for (w in g.neighbors(v)) {
        least = min(least, w.group);
      }
      for (w in g.nodes_to(v)) {
        least = min(least, w.group);
      }
      if (least < v.group) {
        v.group = least;
        moved++;
      }
    }
  } while (moved > 0);
}
