// the h-index of the neighbors' bounds, until none falls
function kcore(Graph g, propNode<int> core) {
  forall (v in g.nodes()) {
    v.core = 0;
    for (u in g.nodes_to(v)) {
      if (u != v) {
        v.core += 1;
      }
    }
  }
  bool fell = True;
  while (fell) {
    fell = False;
    forall (v in g.nodes()) {
      int h = v.core;
      bool enough = False;
      while (!enough) {
        int have = 0;
        for (u in g.nodes_to(v)) {
          if (u != v && u.core >= h) {
            have += 1;
          }
        }
        enough = have >= h;
        if (!enough) {
          h = h - 1;
        }
      }
      if (h < v.core) {
        v.core = h;
        fell = True;
      }
    }
  }
}
