// The critical path of an acyclic graph: returns the length of its longest path; `start` is the longest path to a node.
//
// With an arc for what has to wait, as long as its weight, that is the time when each node can start at the earliest
// (Kelley and Walker). -1 is returned if there is a cycle; then nodes on cycles and beyond have no start, -1. Paths may
// be of no arcs, so that no length is below 0.
function critical_path(Graph g, propNode<double> start, propEdge<double> weight) {
  propNode<int> missing;
  propNode<bool> free;
  propNode<double> longest;
  g.attachNodeProperty(start = -1.0, longest = 0.0, free = False);
  forall (v in g.nodes()) {
    v.missing = g.count_inNbrs(v);
  }
  long left = g.num_nodes();
  long now = 1;
  while (now > 0) {
    now = 0;
    forall (v in g.nodes().filter(start < 0.0 && missing == 0)) {
      v.start = v.longest;
      v.free = True;
      now += 1;
    }
    forall (v in g.nodes().filter(free)) {
      v.free = False;
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        <w.longest> = <Max(w.longest, v.start + e.weight)>;
        w.missing -= 1;
      }
    }
    left -= now;
  }
  double length = 0.0;
  forall (v in g.nodes()) {
    length = max(length, v.start);
  }
  return left > 0 ? -1.0 : length;
}
