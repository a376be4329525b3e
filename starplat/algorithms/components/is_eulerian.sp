// Whether a graph is Eulerian: returns True if a closed walk takes every arc once, and comes to every node.
//
// That is so if as many arcs come to every node as leave it and there is a path between any two nodes. For directed
// graphs; of an undirected graph, whose edges are two arcs each, `both_ways` asks for a walk that takes every edge once.
// A graph without nodes is not.
function is_eulerian(Graph g, bool both_ways = False) {
  propNode<bool> reached;
  propNode<bool> frontier;
  g.attachNodeProperty(reached = False, frontier = False);
  forall (v in g.nodes().filter(v == 0)) {
    v.reached = True;
    v.frontier = True;
  }
  bool finished = False;
  fixedPoint until (finished : !frontier) {
    forall (v in g.nodes().filter(frontier)) {
      forall (w in g.inOutNbrs(v).filter(!reached)) {
        w.reached = True;
        w.frontier = True;
      }
    }
  }
  bool even = True;
  forall (v in g.nodes()) {
    int edges = g.count_outNbrs(v);
    for (w in g.neighbors(v).filter(w == v)) { // a loop is one arc, but has two ends
      edges += 1;
    }
    if (both_ways ? edges % 2 != 0 : g.count_outNbrs(v) != g.count_inNbrs(v)) {
      even = False;
    }
  }
  return even && g.num_nodes() > 0 && Count(reached) == g.num_nodes();
}
